// The third part of PodWorker: containers whose end lets all containers of the pod begin anew.

#include <algorithm>

#include "kubelet/pod/plan/all_restart.h"
#include "kubelet/workers/look.h"

namespace proa::kubelet {
namespace pod_restart {

// The order in which they go: those that run on to their end without having caused it first, and
// those whose end was the cause last. Whoever comes back in between finds the cause still there.
int turn(const ContainerSpec& spec, const cri::Container& container) {
  const bool is_cause = container.state == cri::ContainerState::kExited &&
                        restarts_all_after_exit(spec.view, container.exit_code);
  const bool is_regular = spec.kind == ContainerKind::kRegular;
  return (is_cause ? 2 : 0) + (is_regular ? 0 : 1);
}

// All that the runtime has of init and regular containers, in that order.
std::vector<const cri::Container*> in_turn(const Pod& pod, const cri::RuntimePod& running) {
  std::vector<std::pair<int, const cri::Container*>> found;
  for (const cri::Container& container : running.containers) {
    const std::optional<ContainerSpec> spec = find_container(pod, container.name);
    if (!spec || spec->kind == ContainerKind::kEphemeral) continue;
    found.emplace_back(turn(*spec, container), &container);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const cri::Container*> containers;
  for (const auto& [place, container] : found) containers.push_back(container);
  return containers;
}

}  // namespace pod_restart

Result<bool> PodWorker::clear_for_restart(Look& look) {
  if (!could_restart_all(*look.pod)) return true;
  const std::shared_ptr<const json::Document> last = parts_.statuses.last(look.uid());
  const api::View status = last ? api::View(last->root()) : look.pod->status();
  if (!is_restarting_all(*look.pod, look.running, status)) return true;
  const std::vector<const cri::Container*> containers =
      pod_restart::in_turn(*look.pod, look.running);
  if (containers.empty()) return true;
  // First it is said: else a kubelet that comes back in between would not know.
  publish(look, false);
  bool any_runs = false;
  for (const cri::Container* container : containers) {
    if (container->state == cri::ContainerState::kExited ||
        container->state == cri::ContainerState::kCreated) {
      continue;
    }
    any_runs = true;
    parts_.stopper.stop({.pod = look.pod,
                         .pod_uid = look.uid(),
                         .container = *container,
                         .pod_address = {},
                         .message = "killing",
                         .grace = Duration::zero()});
  }
  if (any_runs) return false;
  for (const cri::Container* container : containers) {
    // Their logs stay: the numbers of the files say how often they were started.
    const Result<void> removed = parts_.runtime.remove_container(container->id, until(look));
    if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed.status();
    parts_.probes.forget(container->id);
    parts_.post_starts.forget(container->id);
  }
  look.running = TRY(cri::inspect_pod(parts_.runtime, look.uid(), until(look)));
  parts_.registry.seen(look.uid(), look.running);
  look.memory.waiting.clear();
  publish(look, false);
  return true;
}

}  // namespace proa::kubelet
