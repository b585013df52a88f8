#include "kubelet/workers/sync/pod_sync.h"

#include <algorithm>
#include <utility>

#include "kubelet/model/reference.h"

namespace proa::kubelet {
namespace pod_sync {

// Whether the second plan starts containers that the first did not.
bool starts_others(const PodPlan& before, const PodPlan& after) {
  const auto same = [](const ContainerSpec& a, const ContainerSpec& b) {
    return a.name() == b.name();
  };
  return !after.start.empty() && !std::equal(before.start.begin(), before.start.end(),
                                             after.start.begin(), after.start.end(), same);
}

}  // namespace pod_sync

PodPlan PodSync::make_plan(const ReconcileState& state) const {
  return plan_pod(*state.pod, state.running, context_.probes, state.memory.restarting,
                  state.restart_after_stop());
}

Result<PodSync::Outcome> PodSync::run(ReconcileState& state) const {
  if (!context_.checks.network_ready(state)) {
    context_.reporter.publish(state);
    // The node agent enqueues all pods when the network becomes ready.
    state.next = Steady::max();
    return Outcome::kDone;
  }
  const bool clear = TRY(context_.restarter.clear(state));
  if (!clear) return Outcome::kDone;
  context_.stopper.stop_failed_post_starts(state);
  Resize resize;
  context_.resizer.begin(state, resize.plan);
  const PodPlan plan = make_plan(state);
  TRY(carry_out(state, plan, resize));
  // A container that started may allow the next one to start, and our own starts cause no event.
  if (pod_sync::starts_others(plan, make_plan(state))) state.reconcile_at(state.clock.steady());
  if (!state.is_over()) TRY(context_.checks.check_storage(state));
  if (state.is_over()) return Outcome::kTerminate;
  if (resize.applied.ok()) context_.resizer.end(state);
  context_.reporter.probe(state);
  context_.reporter.publish(state);
  if (state.is_over()) return Outcome::kTerminate;
  TRY(resize.applied);
  TRY(context_.remover.remove_old(state));
  context_.checks.schedule_token_refresh(state);
  return Outcome::kDone;
}

Result<void> PodSync::carry_out(ReconcileState& state, const PodPlan& plan, Resize& resize) const {
  if (plan.stop_all || !plan.stop.empty()) context_.stopper.thaw(state.uid());
  if (plan.stop_all) {
    const bool stopped = TRY(stop_everything(state, plan));
    if (!stopped) return {};
    if (!plan.new_sandbox) {
      state.memory.finish();
      return {};
    }
  }
  const PreparedPod prepared = TRY(context_.starter.prepare(state, plan.attempt));
  if (plan.new_sandbox) TRY(replace_sandbox(state, prepared));
  context_.stopper.stop_some(state, plan.stop);
  resize.applied = context_.resizer.apply(state, resize.plan);
  return start_containers(state, prepared, plan);
}

Result<bool> PodSync::stop_everything(ReconcileState& state, const PodPlan& plan) const {
  // Called until everything has stopped.
  if (plan.new_sandbox &&
      std::exchange(state.memory.replaced_sandbox, plan.attempt) != plan.attempt) {
    context_.events.normal(reference_to(*state.pod), "SandboxChanged",
                           "Pod sandbox changed, it will be killed and re-created.");
  }
  if (!context_.stopper.stop_all(state)) return false;
  TRY(context_.stopper.stop_sandboxes(state, PodStopper::Sandboxes::kAll, state.call_deadline()));
  return true;
}

Result<void> PodSync::replace_sandbox(ReconcileState& state, const PreparedPod& prepared) const {
  TRY(context_.starter.start_sandbox(state, prepared));
  state.running.sandboxes =
      TRY(cri::inspect_sandboxes(context_.runtime, state.uid(), state.call_deadline()));
  context_.registry.seen(state.uid(), state.running);
  if (state.running.ready_sandbox() == nullptr) {
    return Status(Reason::kServiceUnavailable, "sandbox exited right after it was started");
  }
  return {};
}

Result<void> PodSync::start_containers(ReconcileState& state, const PreparedPod& prepared,
                                       const PodPlan& plan) const {
  bool any = false;
  for (const ContainerSpec& container : plan.start) {
    if (state.stop.stop_requested()) return Status(Reason::kServiceUnavailable, "cancelled");
    if (context_.post_starts.blocks_starts(state.uid())) break;
    const cri::Container* newest = state.running.newest(container.name());
    // Two instances of a container never run at once.
    const bool runs = newest != nullptr && (newest->state == cri::ContainerState::kRunning ||
                                            context_.stopper.is_stopping(newest->id));
    if (runs) continue;
    state.reconcile_at(context_.starter.start_container(state, prepared, container));
    any = true;
  }
  if (!any) return {};
  state.running.containers =
      TRY(cri::inspect_containers(context_.runtime, state.uid(), state.call_deadline()));
  context_.registry.seen(state.uid(), state.running);
  return {};
}

}  // namespace proa::kubelet
