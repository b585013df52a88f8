#include "kubelet/workers/sync/status_reporter.h"

#include "kubelet/model/status_fields.h"
#include "kubelet/pod/container/runtime_handler.h"
#include "kubelet/pod/status/termination_message.h"
#include "kubelet/workers/start/host_resources.h"

namespace proa::kubelet {

cri::RuntimePod StatusReporter::visible(const ReconcileState& state) const {
  cri::RuntimePod visible = state.running;
  if (state.memory.termination) return visible;
  std::erase_if(visible.containers, [this](const cri::Container& container) {
    return context_.post_starts.is_running(container.id);
  });
  return visible;
}

void StatusReporter::probe(const ReconcileState& state) const {
  context_.prober.follow(state.pod, visible(state));
}

void StatusReporter::publish(ReconcileState& state, Containers containers) const {
  // The API server has no object to write the status to.
  if (state.demand == Demand::kRemoved) return;
  PodMemory& memory = state.memory;
  if (memory.admission == Admission::kRefused) {
    context_.statuses.set(state.pod, refused_status(*state.pod, memory.end.reason,
                                                    memory.end.message, state.clock.now()));
    return;
  }
  json::Document status = make_status(state, containers);
  if (is_final_phase(phase_of(status))) {
    // Before the writer has it: the scheduler may fill the pod's place right after the write.
    memory.final_phase = true;
    memory.finish();
  }
  context_.statuses.set(state.pod, std::move(status));
}

json::Document StatusReporter::make_status(const ReconcileState& state,
                                           Containers containers) const {
  const Pod& pod = *state.pod;
  const PodMemory& memory = state.memory;
  const std::shared_ptr<const json::Document> previous = context_.statuses.last(pod.uid());
  const cri::RuntimePod running = visible(state);
  const ResizeConditions resize = context_.allocations.conditions(pod.uid());
  std::optional<CgroupValues> enforced;
  if (resize.in_progress) {
    const Result<CgroupValues> found = context_.cgroups.values(pod);
    if (found.ok()) enforced = *found;
  }
  const auto handler_can = [this](const std::string& handler) {
    return context_.node.mounts_recursively(handler);
  };
  return compute_status(
      {.pod = pod,
       .running = running,
       .probes = context_.probes,
       .facts = pod_facts_for(context_.node, pod, state.addresses()),
       .now = state.clock.now(),
       .previous = previous == nullptr ? api::View() : api::View(previous->root()),
       .waiting = memory.waiting,
       .bounds = memory.bounds,
       .resize = resize,
       .enforced = enforced,
       .restart_after_stop = state.restart_after_stop(),
       .final_reason = memory.end.reason,
       .final_message = memory.end.message,
       .stopping = memory.termination.has_value(),
       .stopped = containers == Containers::kStopped,
       .termination_message =
           [&](const cri::Container& exited) {
             return read_termination_message(context_.files, context_.paths, pod.uid(), exited);
           },
       .recursive_read_only = mounts_recursively(context_.objects, handler_can, pod),
       .kubelet_started = context_.kubelet_started});
}

}  // namespace proa::kubelet
