#include "kubelet/workers/sync/pod_termination.h"

namespace proa::kubelet {

Result<void> PodReleaser::release(const ReconcileState& state) const {
  prober_.forget(state.uid());
  images_.forget(state.uid());
  for (const cri::Container& container : state.running.containers) probes_.forget(container.id);
  return host_.release(state.uid());
}

void PodReleaser::free_allocation(const api::Uid& uid) const {
  allocations_.forget(uid);
  shares_.balance();
}

// A grace period that changed meanwhile counts from now.
void PodTermination::begin(ReconcileState& state) const {
  std::optional<Termination>& termination = state.memory.termination;
  const int64_t grace = state.pod->grace_seconds();
  if (termination && termination->grace_seconds == grace) return;
  termination = {.since = state.clock.steady(), .grace_seconds = grace};
  context_.prober.stop_liveness(state.uid());
}

Result<void> PodTermination::run(ReconcileState& state) const {
  state.memory.advance({.leaves = state.leaves()});
  if (!state.running.empty()) context_.stopper.thaw(state.uid());
  begin(state);
  cancel_post_starts(state);
  if (!context_.stopper.stop_all(state)) {
    context_.reporter.probe(state);
    context_.reporter.publish(state);
    return {};
  }
  TRY(context_.stopper.stop_sandboxes(
      state, state.leaves() ? PodStopper::Sandboxes::kAll : PodStopper::Sandboxes::kReady,
      state.removal_deadline()));
  if (state.memory.stage < Stage::kTerminated) TRY(release(state));
  if (!state.leaves()) return {};
  return remove(state);
}

void PodTermination::cancel_post_starts(const ReconcileState& state) const {
  for (const cri::Container& container : state.running.containers) {
    context_.post_starts.cancel(container.id);
  }
}

void PodTermination::halt(ReconcileState& state, Duration most_grace) const {
  if (state.running.empty()) return;
  context_.stopper.thaw(state.uid());
  begin(state);
  state.memory.termination->most_grace = most_grace;
  cancel_post_starts(state);
  context_.stopper.stop_all(state);
  context_.reporter.publish(state);
}

Result<void> PodTermination::release(ReconcileState& state) const {
  // Before anything is removed: the logs may hold termination messages.
  context_.reporter.publish(state, StatusReporter::Containers::kStopped);
  TRY(context_.releaser.release(state));
  state.memory.advance({.released = true});
  context_.releaser.free_allocation(state.uid());
  return {};
}

Result<void> PodTermination::remove(ReconcileState& state) const {
  TRY(context_.remover.remove_all(state));
  if (state.demand != Demand::kWanted) {
    context_.statuses.forget(state.uid());
    for (const api::Uid& next : context_.registry.forget(state.uid())) context_.enqueue(next);
    return {};
  }
  if (state.memory.stage == Stage::kFinished) return {};
  context_.statuses.finish(state.pod);
  state.memory.advance({.leaves = true, .removed = true});
  return {};
}

}  // namespace proa::kubelet
