#include "kubelet/workers/stop/pod_remover.h"

#include <algorithm>
#include <map>

#include "kubelet/workers/start/pod_files.h"
#include "kubelet/workers/stop/pod_stopper.h"

namespace proa::kubelet {
namespace pod_remover {

std::vector<const cri::Container*> old_instances(const cri::RuntimePod& running) {
  std::map<std::string_view, int> exited;
  std::vector<const cri::Container*> old;
  for (const cri::Container& container : running.containers) {
    const bool is_newest = running.newest(container.name) == &container;
    if (may_run(container) || is_newest) continue;
    if (++exited[container.name] > 1 || container.state == cri::ContainerState::kCreated) {
      old.push_back(&container);
    }
  }
  return old;
}

}  // namespace pod_remover

Result<void> PodRemover::remove_container(const cri::Container& container,
                                          const Until& until) const {
  Result<void> removed = runtime_.remove_container(container.id, until);
  if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed;
  probes_.forget(container.id);
  post_starts_.forget(container.id);
  return {};
}

Result<void> PodRemover::remove_with_log(const ReconcileState& state,
                                         const cri::Container& container) const {
  TRY(remove_container(container, state.removal_deadline()));
  return remove_log(files_, paths_, *state.pod, container);
}

Result<void> PodRemover::remove_all(const ReconcileState& state) const {
  for (const cri::Container& container : state.running.containers) {
    TRY(remove_with_log(state, container));
  }
  for (const cri::Sandbox& sandbox : state.running.sandboxes) {
    Result<void> removed = runtime_.remove_sandbox(sandbox.id, state.removal_deadline());
    if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed;
  }
  return remove_logs(files_, paths_, *state.pod);
}

Result<void> PodRemover::remove_old(const ReconcileState& state) const {
  const std::vector<const cri::Container*> old = pod_remover::old_instances(state.running);
  for (const cri::Container* container : old) TRY(remove_with_log(state, *container));
  for (size_t i = 1; i < state.running.sandboxes.size(); ++i) {
    const cri::Sandbox& sandbox = state.running.sandboxes[i];
    const bool used = std::any_of(state.running.containers.begin(), state.running.containers.end(),
                                  [&](const cri::Container& container) {
                                    const bool is_old =
                                        std::find(old.begin(), old.end(), &container) != old.end();
                                    return container.sandbox_id == sandbox.id && !is_old;
                                  });
    if (used) continue;
    TRY(runtime_.stop_sandbox(sandbox.id, state.removal_deadline()));
    TRY(runtime_.remove_sandbox(sandbox.id, state.removal_deadline()));
  }
  return {};
}

}  // namespace proa::kubelet
