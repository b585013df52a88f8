#include "kubelet/workers/sync/pod_checks.h"

#include <algorithm>

#include "kubelet/model/reference.h"

namespace proa::kubelet {
namespace pod_checks {

// How often an emptyDir with a sizeLimit is measured: nothing reports that it grows.
constexpr Duration kStorageCheckInterval = std::chrono::seconds(30);
// A token that could not be renewed is due already: it must not be asked for in a loop.
constexpr Duration kLeastRefreshDelay = std::chrono::seconds(1);

}  // namespace pod_checks

void PodChecks::admit(ReconcileState& state, const PodPtr& wanted) const {
  PodMemory& memory = state.memory;
  if (state.is_over()) return;
  if (memory.admission == Admission::kUndecided) {
    const Refusal refusal = allocations_.admit(wanted, !state.running.empty());
    if (!refusal.reason.empty()) {
      events_.warning(reference_to(*wanted), refusal.reason, refusal.message);
      memory.admission = Admission::kRefused;
      memory.fail({.reason = refusal.reason, .message = refusal.message});
      return;
    }
  }
  memory.advance({.admitted = true});
  if (wanted->is_finished()) return;
  const std::optional<Duration> again = allocations_.settle(wanted);
  if (again) state.reconcile_after(*again);
  state.pod = allocations_.allocated(wanted);
}

void PodChecks::check_deadline(ReconcileState& state) const {
  const std::optional<int64_t>& seconds = state.pod->fields().spec.active_deadline_seconds;
  if (!seconds || state.is_over()) return;
  const std::shared_ptr<const json::Document> last = statuses_.last(state.uid());
  const api::View status = last ? api::View(last->root()) : state.pod->status();
  const Result<Time> started = parse_time(status["startTime"].text());
  if (!started.ok()) {
    // Its first status sets startTime to now.
    state.reconcile_after(std::chrono::seconds(*seconds));
    return;
  }
  const Duration left = *started + std::chrono::seconds(*seconds) - state.clock.now();
  if (left > Duration::zero()) {
    state.reconcile_after(left);
    return;
  }
  state.memory.fail({.reason = "DeadlineExceeded",
                     .message = "Pod was active on the node longer than the specified deadline"});
  events_.normal(reference_to(*state.pod), state.memory.end.reason, state.memory.end.message);
}

Result<void> PodChecks::check_storage(ReconcileState& state) const {
  const auto volumes = state.pod->spec()["volumes"].items();
  const bool limited = std::any_of(volumes.begin(), volumes.end(), [](api::View volume) {
    return volume["emptyDir"]["sizeLimit"].exists();
  });
  if (!limited) return {};
  const std::string exceeded = TRY(volumes_.exceeded_limit(*state.pod));
  if (exceeded.empty()) {
    state.reconcile_after(pod_checks::kStorageCheckInterval);
    return {};
  }
  state.memory.fail({.reason = "Evicted", .message = exceeded});
  events_.warning(reference_to(*state.pod), "Evicted", exceeded);
  return {};
}

bool PodChecks::network_ready(const ReconcileState& state) const {
  if (state.pod->uses_host_network() || node_.network_ready()) return true;
  events_.warning(reference_to(*state.pod), "NetworkNotReady",
                  "network is not ready: container runtime network not ready");
  return false;
}

void PodChecks::schedule_token_refresh(ReconcileState& state) const {
  const Time refresh = volumes_.next_refresh(state.uid());
  if (refresh == Time::max()) return;
  state.reconcile_after(
      std::max<Duration>(refresh - state.clock.now(), pod_checks::kLeastRefreshDelay));
}

}  // namespace proa::kubelet
