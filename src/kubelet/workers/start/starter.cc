#include "kubelet/workers/start/starter.h"

namespace proa::kubelet {

Result<PreparedPod> Starter::prepare(const ReconcileState& state, uint32_t attempt) const {
  const Pod& pod = *state.pod;
  state.memory.volume_images.begin_pass();
  HostResources::Prepared host =
      TRY(host_.prepare(pod, pod_facts_for(node_, pod, state.addresses()), state.call_deadline()));
  json::Document config = TRY(sandboxes_.configure(pod, state.memory, attempt, host.cgroup_parent));
  return PreparedPod{.pod = state.pod,
                     .memory = state.memory,
                     .volumes = std::move(host.volumes),
                     .sandbox_config = std::move(config)};
}

Result<void> Starter::start_sandbox(const ReconcileState& state,
                                    const PreparedPod& prepared) const {
  return sandboxes_.start(*state.pod, prepared.sandbox_config, state.call_deadline());
}

Steady Starter::start_container(const ReconcileState& state, const PreparedPod& prepared,
                                const ContainerSpec& container) const {
  const PodFacts facts = pod_facts_for(node_, *state.pod, state.running.ready_sandbox()->addresses);
  return containers_.start(prepared, container, state.running, facts, state.call_deadline());
}

}  // namespace proa::kubelet
