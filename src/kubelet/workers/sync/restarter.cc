#include "kubelet/workers/sync/restarter.h"

#include <algorithm>

#include "kubelet/pod/plan/restart_all.h"

namespace proa::kubelet {
namespace restarter {

// The containers whose exit caused the restart are removed last: a kubelet that restarts in
// between still finds the cause. Among each of the two, regular containers come first.
int removal_rank(const ContainerSpec& spec, const cri::Container& container) {
  const bool is_cause = container.state == cri::ContainerState::kExited &&
                        restarts_all_after_exit(spec, container.exit_code);
  const bool is_regular = spec.kind == ContainerKind::kRegular;
  return (is_cause ? 2 : 0) + (is_regular ? 0 : 1);
}

// All init and regular containers that the runtime has, in the order of their removal.
std::vector<const cri::Container*> in_removal_order(const Pod& pod,
                                                    const cri::RuntimePod& running) {
  std::vector<std::pair<int, const cri::Container*>> found;
  for (const cri::Container& container : running.containers) {
    const std::optional<ContainerSpec> spec = find_container(pod, container.name);
    if (!spec || spec->kind == ContainerKind::kEphemeral) continue;
    found.emplace_back(removal_rank(*spec, container), &container);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const cri::Container*> containers;
  for (const auto& [rank, container] : found) containers.push_back(container);
  return containers;
}

}  // namespace restarter

bool Restarter::stop(const ReconcileState& state,
                     const std::vector<const cri::Container*>& containers) const {
  bool any_runs = false;
  for (const cri::Container* container : containers) {
    if (container->state == cri::ContainerState::kExited ||
        container->state == cri::ContainerState::kCreated) {
      continue;
    }
    any_runs = true;
    containers_.stop({.pod = state.pod,
                      .pod_uid = state.uid(),
                      .container = *container,
                      .pod_address = {},
                      .message = "killing",
                      .grace = Duration::zero()});
  }
  return any_runs;
}

Result<bool> Restarter::clear(ReconcileState& state) const {
  if (!could_restart_all(*state.pod)) return true;
  const std::shared_ptr<const json::Document> last = statuses_.last(state.uid());
  const api::View status = last ? api::View(last->root()) : state.pod->status();
  if (!is_restarting_all(*state.pod, state.running, status)) return true;
  const std::vector<const cri::Container*> containers =
      restarter::in_removal_order(*state.pod, state.running);
  if (containers.empty()) return true;
  // Before anything is removed: a kubelet that restarts in between reads it from the status.
  reporter_.publish(state);
  if (stop(state, containers)) return false;
  for (const cri::Container* container : containers) {
    TRY(remover_.remove_container(*container, state.call_deadline()));
  }
  state.running = TRY(cri::inspect_pod(runtime_, state.uid(), state.call_deadline()));
  registry_.seen(state.uid(), state.running);
  state.memory.waiting.clear();
  reporter_.publish(state);
  return true;
}

}  // namespace proa::kubelet
