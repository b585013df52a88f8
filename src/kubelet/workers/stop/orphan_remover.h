#pragma once

#include "base/files.h"
#include "kubelet/model/paths.h"
#include "kubelet/workers/start/host_resources.h"
#include "kubelet/workers/state/registry.h"
#include "kubelet/workers/stop/pod_stopper.h"

namespace proa::kubelet {

// Stops and removes what is left of pods whose spec this kubelet never saw: they were deleted
// while it was down.
class OrphanRemover {
 public:
  struct Context {
    cri::Runtime& runtime;
    Files& files;
    const Paths& paths;
    Registry& registry;
    const HostResources& host;
    const PodStopper& pods;  // thaws them
    Stopper& containers;
  };
  // Everything outlives it.
  explicit OrphanRemover(Context context) : context_(context) {}

  // Returns without having removed anything while containers still run: the stopper leads to the
  // next reconcile. `deadline`: makes the deadline of one call.
  Result<void> remove(api::UidView uid, const cri::RuntimePod& running,
                      const std::function<Until()>& deadline) const;

 private:
  // Whether some container may still run.
  bool stop_containers(api::UidView uid, const cri::RuntimePod& running) const;

  const Context context_;
};

}  // namespace proa::kubelet
