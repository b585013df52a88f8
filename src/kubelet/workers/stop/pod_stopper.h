#pragma once

#include <vector>

#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/workers/start/post_starts.h"
#include "kubelet/workers/state/reconcile_state.h"
#include "kubelet/workers/stop/stopper.h"

namespace proa::kubelet {

// Containers in the order in which they stop: each group waits for those before it.
using StopOrder = std::vector<std::vector<const cri::Container*>>;

// Pure. Containers that may run: all but sidecars first, then the sidecars one by one, in the
// reverse of the order in which they started.
StopOrder plan_stop_order(const Pod& pod, const cri::RuntimePod& running);

// Whether a container runs, or may run as far as the runtime knows.
bool may_run(const cri::Container& container);

// Stops containers and sandboxes of a pod. Never waits for a grace period.
class PodStopper {
 public:
  // Everything outlives it.
  PodStopper(cri::Runtime& runtime, Cgroups& cgroups, Stopper& containers, PostStarts& post_starts)
      : runtime_(runtime), cgroups_(cgroups), containers_(containers), post_starts_(post_starts) {}

  // Stops every container. Returns whether none may run any more.
  bool stop_all(const ReconcileState& state) const;
  enum class Sandboxes : uint8_t { kAll, kReady };
  // REQUIRES: no container may run.
  Result<void> stop_sandboxes(ReconcileState& state, Sandboxes which, const Until& until) const;
  // Stops the containers that a plan names.
  void stop_some(ReconcileState& state, const std::vector<ContainerStop>& stops) const;
  // Stops containers whose postStart handler failed. Cancels the handlers of containers that
  // exited by themselves.
  void stop_failed_post_starts(ReconcileState& state) const;
  bool is_stopping(const std::string& container_id) const {
    return containers_.is_stopping(container_id);
  }
  // A frozen cgroup ignores signals: must be called before something of the pod is stopped.
  void thaw(api::UidView uid) const;

 private:
  cri::Runtime& runtime_;
  Cgroups& cgroups_;
  Stopper& containers_;
  PostStarts& post_starts_;
};

}  // namespace proa::kubelet
