#include "kubelet/pod/status/compute/final_states.h"

#include <algorithm>

#include "kubelet/pod/status/compute/container_state.h"

namespace proa::kubelet {
namespace final_states {

using api::Edit;
using api::View;

bool has_left_waiting(View container) {
  return container["lastState"]["terminated"] || !container["state"]["waiting"];
}

// Whether some regular container may have run.
bool is_initialized(const Pod& pod, View status) {
  const View init = status["initContainerStatuses"];
  if (init.empty()) return true;
  const auto regular = status["containerStatuses"].items();
  if (std::any_of(regular.begin(), regular.end(),
                  [](const View container) { return has_left_waiting(container); }))
    return true;
  const View last = init.item(init.size() - 1);
  const auto spec = find_container(pod, last["name"].text());
  if (!spec) return false;
  if (spec->kind == ContainerKind::kSidecar)
    return last["state"]["running"] && last["started"].flag();
  for (const std::string_view field : {"lastState", "state"}) {
    const View ended = last[field]["terminated"];
    if (ended && ended["exitCode"].integer() == 0) return true;
  }
  return false;
}

// The first containers of a list that were tried; of init containers the first one always counts.
size_t count_tried(View init) {
  for (size_t count = init.size(); count > 0; --count) {
    if (has_left_waiting(init.item(count - 1))) return count;
  }
  return std::min<size_t>(init.size(), 1);
}

void end(Edit containers, size_t count) {
  for (size_t index = 0; index < count; ++index) {
    const Edit container = containers.item(index);
    if (container["state"]["terminated"]) continue;
    set_terminated(container.object("state"), kStatusUnknown,
                   "The container could not be located when the pod was terminated",
                   kUnknownExitCode);
  }
}

}  // namespace final_states

void write_final_states(const Pod& pod, api::Edit status) {
  if (status.has("containerStatuses") && final_states::is_initialized(pod, status.view())) {
    final_states::end(status.existing("containerStatuses"), status["containerStatuses"].size());
  }
  if (status.has("initContainerStatuses")) {
    final_states::end(status.existing("initContainerStatuses"),
                      final_states::count_tried(status["initContainerStatuses"]));
  }
  if (pod.is_static()) return;
  const std::string_view phase = status["phase"].text();
  if (phase != "Succeeded" && phase != "Failed") status.set("phase", "Failed");
}

}  // namespace proa::kubelet
