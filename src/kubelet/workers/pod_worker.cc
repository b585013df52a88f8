#include "kubelet/workers/pod_worker.h"

#include <algorithm>

namespace proa::kubelet {
namespace pod_worker {

// A reconcile that is due already must not be taken for "no reconcile", which zero means.
constexpr Duration kLeastDelay = std::chrono::milliseconds(1);

Demand demand_of(const Registry::Entry& entry) {
  if (entry.gone) return Demand::kRemoved;
  return entry.returned ? Demand::kReturned : Demand::kWanted;
}

client::Again again(const ReconcileState& state) {
  if (state.next == Steady::max()) return {};
  return {std::max<Duration>(state.next - state.clock.steady(), kLeastDelay)};
}

}  // namespace pod_worker

Until PodWorker::call_deadline() const {
  return Until::after(context_.clock, ReconcileState::kCallTimeout, context_.shutdown);
}

Step PodWorker::choose_step(const Registry::Entry& entry, const cri::RuntimePod& running) const {
  if (entry.pod == nullptr) return proa::kubelet::choose_step({.in_runtime = !running.empty()});
  const bool leaves = entry.gone || entry.returned || entry.pod->deleted_at().has_value();
  return proa::kubelet::choose_step({.known = true,
                                     .leaves = leaves,
                                     .in_runtime = !running.empty(),
                                     .is_static = entry.pod->is_static(),
                                     .predecessor_remains = context_.registry.must_wait(*entry.pod),
                                     .node_registered = context_.node.node() != nullptr});
}

Result<client::Again> PodWorker::reconcile(const client::Key& key) {
  const api::UidView uid(key.name);
  const Registry::Entry entry = context_.registry.get(uid);
  cri::RuntimePod running = TRY(cri::inspect_pod(context_.runtime, uid, call_deadline()));
  context_.registry.seen(uid, running);
  const Step step = choose_step(entry, running);
  // The predecessor's end, or the registration of the node, enqueues the pod again.
  if (step == Step::kWait) return client::Again{};
  if (step == Step::kRemoveOrphan) {
    TRY(remove_orphan(uid, running));
    return client::Again{};
  }
  std::stop_source cancel;
  const auto request = [&cancel] { cancel.request_stop(); };
  const std::stop_callback on_shutdown(context_.shutdown, request);
  const std::stop_callback on_leaving(entry.memory->leaving.get_token(), request);
  ReconcileState state{.pod = context_.allocations.allocated(entry.pod),
                       .demand = pod_worker::demand_of(entry),
                       .memory = *entry.memory,
                       .clock = context_.clock,
                       .running = std::move(running),
                       .stop = cancel.get_token(),
                       .shutdown = context_.shutdown};
  return take(step, state, entry.pod);
}

Result<void> PodWorker::remove_orphan(api::UidView uid, const cri::RuntimePod& running) const {
  return context_.orphans.remove(uid, running, [this] { return call_deadline(); });
}

Result<client::Again> PodWorker::take(Step step, ReconcileState& state,
                                      const PodPtr& wanted) const {
  const std::optional<Duration> halted = context_.halt.most_grace();
  if (step == Step::kSync && halted && !state.is_over()) {
    context_.termination.halt(state, *halted);
    return client::Again{};
  }
  if (step == Step::kSync) {
    context_.checks.admit(state, wanted);
    context_.checks.check_deadline(state);
    // It ended before this kubelet started.
    if (state.pod->is_finished()) state.memory.finish();
    if (!state.is_over()) return sync(state);
  }
  TRY(context_.termination.run(state));
  return client::Again{};
}

Result<client::Again> PodWorker::sync(ReconcileState& state) const {
  Result<PodSync::Outcome> done = context_.sync.run(state);
  if (done.ok() && *done == PodSync::Outcome::kDone) return pod_worker::again(state);
  if (done.ok()) {
    const Result<void> terminated = context_.termination.run(state);
    if (terminated.ok()) return client::Again{};
    done = terminated.status();
  }
  // Cancelled because the pod leaves: that enqueued it again.
  if (state.memory.leaving.stop_requested()) return client::Again{};
  context_.reporter.probe(state);
  context_.reporter.publish(state);
  return done.status();
}

}  // namespace proa::kubelet
