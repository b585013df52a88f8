#include "kubelet/pod/plan/runtime_state.h"

#include <algorithm>

namespace proa::kubelet {
namespace runtime_state {

bool is_usable(const Pod& pod, const cri::RuntimePod& running) {
  const auto ready = std::count_if(
      running.sandboxes.begin(), running.sandboxes.end(),
      [](const cri::Sandbox& sandbox) { return sandbox.state == cri::SandboxState::kReady; });
  const cri::Sandbox* sandbox = running.ready_sandbox();
  if (sandbox == nullptr || ready > 1) return false;
  return pod.uses_host_network() || !sandbox->addresses.empty();
}

}  // namespace runtime_state

RuntimeState classify_runtime(const Pod& pod, const cri::RuntimePod& running) {
  if (running.empty()) return NothingInRuntime{};
  if (!runtime_state::is_usable(pod, running)) {
    const bool had_sandbox = !running.sandboxes.empty();
    return UnusableSandbox{had_sandbox ? running.sandboxes.front().attempt + 1 : 0};
  }
  const cri::Sandbox* sandbox = running.ready_sandbox();
  const bool populated =
      std::any_of(running.containers.begin(), running.containers.end(),
                  [sandbox](const cri::Container& one) { return one.sandbox_id == sandbox->id; });
  if (populated) return PopulatedSandbox{sandbox};
  return EmptySandbox{sandbox};
}

const cri::Sandbox* usable_sandbox(const RuntimeState& state) {
  if (const auto* empty = std::get_if<EmptySandbox>(&state)) return empty->sandbox;
  if (const auto* populated = std::get_if<PopulatedSandbox>(&state)) return populated->sandbox;
  return nullptr;
}

}  // namespace proa::kubelet
