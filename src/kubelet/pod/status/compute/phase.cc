#include "kubelet/pod/status/compute/phase.h"

#include "kubelet/model/status_fields.h"
#include "kubelet/pod/plan/restart_all.h"
#include "kubelet/pod/status/compute/container_state.h"

namespace proa::kubelet {
namespace phase {

using api::View;

struct Counts {
  // Init containers that run one after the other.
  int pending_init = 0;
  int failed_init = 0;  // and not started again
  // Sidecars that have not started.
  int pending_sidecars = 0;
  // Sidecars and regular containers.
  int unknown = 0;
  int running = 0;
  int waiting = 0;
  // Regular containers.
  int stopped = 0;
  int stopped_for_good = 0;
  int succeeded = 0;
};

// The terminated state that decides about a container in this state; absent if it has not exited.
View end_of(View status) {
  if (const View now = status["state"]["terminated"]) return now;
  return status["state"]["waiting"] ? status["lastState"]["terminated"] : View();
}

void count_init(const Pod& pod, const ContainerSpec& spec, View status, Counts& counts) {
  const View ended = end_of(status);
  if (!ended) {
    ++counts.pending_init;
  } else if (ended["exitCode"].integer() != 0 && !is_restartable(pod, spec, ended)) {
    ++counts.failed_init;
  }
}

// Exited sidecars do not count.
void count_sidecar(View status, Counts& counts) {
  if (!status) {
    ++counts.unknown;
  } else if (status["state"]["running"]) {
    if (!status["started"].flag()) ++counts.pending_sidecars;
    ++counts.running;
  } else if (end_of(status)) {
    return;
  } else {
    ++counts.pending_sidecars;
    ++(status["state"]["waiting"] ? counts.waiting : counts.unknown);
  }
}

bool begins_again(const PhaseInputs& inputs, const ContainerSpec& spec, View ended) {
  return (inputs.restart_after_stop != nullptr &&
          inputs.restart_after_stop->contains(spec.name())) ||
         is_restartable(inputs.pod, spec, ended);
}

void count_regular(const PhaseInputs& inputs, const ContainerSpec& spec, View status,
                   Counts& counts) {
  if (status["state"]["running"]) {
    ++counts.running;
  } else if (const View ended = end_of(status)) {
    ++counts.stopped;
    if (!begins_again(inputs, spec, ended)) ++counts.stopped_for_good;
    if (status["state"]["terminated"] && ended["exitCode"].integer() == 0) ++counts.succeeded;
  } else {
    ++(status["state"]["waiting"] ? counts.waiting : counts.unknown);
  }
}

Counts count(const PhaseInputs& inputs) {
  Counts counts;
  for (const ContainerSpec& spec : containers_of(inputs.pod)) {
    const View init = find_container_status(inputs.status["initContainerStatuses"], spec.name());
    switch (spec.kind) {
      case ContainerKind::kInit:
        count_init(inputs.pod, spec, init, counts);
        break;
      case ContainerKind::kSidecar:
        count_sidecar(init, counts);
        break;
      case ContainerKind::kRegular:
        count_regular(inputs, spec,
                      find_container_status(inputs.status["containerStatuses"], spec.name()),
                      counts);
        break;
      case ContainerKind::kEphemeral:
        break;
    }
  }
  return counts;
}

}  // namespace phase

std::string_view phase_by_containers(const PhaseInputs& inputs) {
  const phase::Counts counts = phase::count(inputs);
  if (counts.failed_init > 0) return "Failed";
  // Sidecars that restart don't bring a pod back to its beginning.
  const bool initializing =
      counts.pending_init > 0 || (counts.pending_sidecars > 0 && !inputs.initialized);
  if (initializing || counts.waiting > 0 || counts.unknown > 0) return "Pending";
  if (counts.running > 0) return "Running";
  if (counts.stopped == 0) return "Pending";
  // Static pods never end as far as the API server is concerned.
  const bool over = inputs.stopped && !inputs.pod.is_static();
  if (!over && counts.stopped != counts.stopped_for_good) return "Running";
  return counts.stopped == counts.succeeded ? "Succeeded" : "Failed";
}

}  // namespace proa::kubelet
