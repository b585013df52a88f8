#include "kubelet/workers/stop/pod_stopper.h"

#include <algorithm>

#include "base/log.h"

namespace proa::kubelet {
namespace pod_stopper {

const Log kLog{"kubelet"};
// A pod that was removed without a deletion gets at least this: it had no grace period of its own
// to prepare in.
constexpr Duration kLeastGraceOfRemovedPod = std::chrono::seconds(1);

Duration remaining_grace(const ReconcileState& state) {
  Duration grace = bounded_seconds(state.pod->grace_seconds());
  if (state.demand == Demand::kRemoved) grace = std::max(grace, kLeastGraceOfRemovedPod);
  if (const std::optional<Termination>& running = state.memory.termination) {
    grace = std::min(grace, running->most_grace) - (state.clock.steady() - running->since);
  }
  return std::max(grace, Duration::zero());
}

// A failed probe may have a grace period of its own.
Duration grace_after_probe(const Pod& pod, const ContainerStop& stop) {
  int64_t grace = pod.grace_seconds();
  const std::optional<ContainerSpec> spec = find_container(pod, stop.name);
  if (spec && stop.reason != StopReason::kNone) {
    const std::optional<objects::Probe>& probe =
        stop.reason == StopReason::kLiveness ? spec->fields->liveness : spec->fields->startup;
    if (probe) grace = probe->grace_seconds.value_or(grace);
  }
  return bounded_seconds(grace);
}

}  // namespace pod_stopper

bool may_run(const cri::Container& container) {
  return container.state == cri::ContainerState::kRunning ||
         container.state == cri::ContainerState::kUnknown;
}

StopOrder plan_stop_order(const Pod& pod, const cri::RuntimePod& running) {
  StopOrder order(1);
  const std::vector<ContainerSpec> specs = containers_of(pod);
  for (auto spec = specs.rbegin(); spec != specs.rend(); ++spec) {
    if (spec->kind != ContainerKind::kSidecar) continue;
    const cri::Container* container = running.newest(spec->name());
    if (container != nullptr && may_run(*container)) order.push_back({container});
  }
  for (const cri::Container& container : running.containers) {
    const bool is_sidecar = std::any_of(order.begin() + 1, order.end(), [&](const auto& group) {
      return group.front() == &container;
    });
    if (may_run(container) && !is_sidecar) order.front().push_back(&container);
  }
  std::erase_if(order, [](const auto& group) { return group.empty(); });
  return order;
}

bool PodStopper::stop_all(const ReconcileState& state) const {
  for (const cri::Container& container : state.running.containers) {
    if (!may_run(container)) containers_.forget(container.id);
  }
  const StopOrder order = plan_stop_order(*state.pod, state.running);
  const Duration grace = pod_stopper::remaining_grace(state);
  // All preStop handlers start at once, before the first container is stopped.
  for (auto group = order.rbegin(); group != order.rend(); ++group) {
    const bool waits = std::next(group) != order.rend() && grace > Duration::zero();
    for (const cri::Container* container : *group) {
      containers_.stop({.pod = state.pod,
                        .pod_uid = state.uid(),
                        .container = *container,
                        .pod_address = state.address(),
                        .message = {},
                        .grace = grace,
                        .waits_for_turn = waits});
    }
  }
  return order.empty();
}

Result<void> PodStopper::stop_sandboxes(ReconcileState& state, Sandboxes which,
                                        const Until& until) const {
  for (cri::Sandbox& sandbox : state.running.sandboxes) {
    if (which == Sandboxes::kReady && sandbox.state != cri::SandboxState::kReady) continue;
    TRY(runtime_.stop_sandbox(sandbox.id, until));
    sandbox.state = cri::SandboxState::kNotReady;
  }
  return {};
}

void PodStopper::stop_some(ReconcileState& state, const std::vector<ContainerStop>& stops) const {
  for (const ContainerStop& stop : stops) {
    const auto container =
        std::find_if(state.running.containers.begin(), state.running.containers.end(),
                     [&stop](const cri::Container& candidate) { return candidate.id == stop.id; });
    if (container == state.running.containers.end()) continue;
    if (stop.again) state.memory.restart_after_stop[stop.name] = stop.id;
    containers_.stop({.pod = state.pod,
                      .pod_uid = state.uid(),
                      .container = *container,
                      .pod_address = state.address(),
                      .message = stop.message,
                      .grace = pod_stopper::grace_after_probe(*state.pod, stop)});
  }
}

void PodStopper::stop_failed_post_starts(ReconcileState& state) const {
  for (const cri::Container& container : state.running.containers) {
    if (container.state == cri::ContainerState::kExited) {
      post_starts_.cancel(container.id);
      continue;
    }
    const std::optional<Status> failure = post_starts_.failure(container.id);
    if (!failure) continue;
    state.memory.waiting[container.name] = {"PostStartHookError", failure->message()};
    containers_.stop({.pod = state.pod,
                      .pod_uid = state.uid(),
                      .container = container,
                      .pod_address = state.address(),
                      .message = "FailedPostStartHook",
                      .grace = bounded_seconds(state.pod->grace_seconds())});
  }
}

void PodStopper::thaw(api::UidView uid) const {
  const Result<void> thawed = cgroups_.thaw(uid);
  if (!thawed.ok()) {
    pod_stopper::kLog.warn("thawing the pod's cgroup failed",
                           {{"uid", uid.view()}, {"error", thawed.status()}});
  }
}

}  // namespace proa::kubelet
