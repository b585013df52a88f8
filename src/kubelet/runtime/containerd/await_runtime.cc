#include "kubelet/runtime/containerd/await_runtime.h"

namespace proa::kubelet {
namespace await_runtime_unit {

constexpr Duration kLookAgain = std::chrono::milliseconds(10);

}  // namespace await_runtime_unit

Result<void> await_runtime(cri::Runtime& runtime, Clock& clock, const Until& until) {
  while (true) {
    // The version call works before all others.
    const auto answer = runtime.readiness(until);
    if (answer.ok()) return {};
    if (until.stop.stop_requested() || clock.steady() >= until.deadline) {
      return answer.status().in("waiting for the container runtime");
    }
    pause_for(clock, await_runtime_unit::kLookAgain);
  }
}

void pause_for(Clock& clock, Duration time) {
  Mutex mutex;
  CondVar never;
  const Steady deadline = clock.steady() + time;
  MutexLock lock(mutex);
  while (clock.steady() < deadline) clock.wait_until(never, mutex, deadline);
}

}  // namespace proa::kubelet
