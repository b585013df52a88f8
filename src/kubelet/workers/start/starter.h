#pragma once

#include "kubelet/node/agent/node_agent.h"
#include "kubelet/workers/start/container_starter.h"
#include "kubelet/workers/start/host_resources.h"
#include "kubelet/workers/start/sandbox_starter.h"
#include "kubelet/workers/state/reconcile_state.h"

namespace proa::kubelet {

// Starts a pod, step by step: host resources, sandbox, containers.
class Starter {
 public:
  // Everything outlives it.
  Starter(const HostResources& host, const SandboxStarter& sandboxes,
          const ContainerStarter& containers, const NodeAgent& node)
      : host_(host), sandboxes_(sandboxes), containers_(containers), node_(node) {}

  // All that containers need besides the sandbox. `attempt`: of the sandbox.
  Result<PreparedPod> prepare(const ReconcileState& state, uint32_t attempt) const;
  Result<void> start_sandbox(const ReconcileState& state, const PreparedPod& prepared) const;
  // See ContainerStarter::start.
  Steady start_container(const ReconcileState& state, const PreparedPod& prepared,
                         const ContainerSpec& container) const;

 private:
  const HostResources& host_;
  const SandboxStarter& sandboxes_;
  const ContainerStarter& containers_;
  const NodeAgent& node_;
};

}  // namespace proa::kubelet
