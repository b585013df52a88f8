#pragma once

#include "kubelet/workers/state/registry.h"
#include "kubelet/workers/stop/pod_remover.h"
#include "kubelet/workers/sync/status_reporter.h"

namespace proa::kubelet {

// The rule RestartAllContainers: the exit of one container removes all of them, so that the pod
// starts over in its sandbox.
class Restarter {
 public:
  // Everything outlives it.
  Restarter(cri::Runtime& runtime, Registry& registry, Stopper& containers,
            const PodRemover& remover, const StatusReporter& reporter, const StatusWriter& statuses)
      : runtime_(runtime),
        registry_(registry),
        containers_(containers),
        remover_(remover),
        reporter_(reporter),
        statuses_(statuses) {}

  // False while containers that must be removed first still run.
  Result<bool> clear(ReconcileState& state) const;

 private:
  // Whether one of them still runs.
  bool stop(const ReconcileState& state,
            const std::vector<const cri::Container*>& containers) const;

  cri::Runtime& runtime_;
  Registry& registry_;
  Stopper& containers_;
  const PodRemover& remover_;
  const StatusReporter& reporter_;
  const StatusWriter& statuses_;
};

}  // namespace proa::kubelet
