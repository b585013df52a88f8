#pragma once

#include <functional>

#include "kubelet/runtime/images/image_puller.h"
#include "kubelet/workers/start/host_resources.h"
#include "kubelet/workers/state/registry.h"
#include "kubelet/workers/stop/pod_remover.h"
#include "kubelet/workers/stop/pod_stopper.h"
#include "kubelet/workers/sync/status_reporter.h"

namespace proa::kubelet {

// Gives back what a pod uses of the node besides the runtime.
class PodReleaser {
 public:
  // Everything outlives it.
  PodReleaser(const HostResources& host, ImagePuller& images, Prober& prober, ProbeResults& probes,
              Allocations& allocations, const ShareBalancer& shares)
      : host_(host),
        images_(images),
        prober_(prober),
        probes_(probes),
        allocations_(allocations),
        shares_(shares) {}

  // REQUIRES: nothing of the pod runs.
  Result<void> release(const ReconcileState& state) const;
  // What was allocated to it may go to other pods.
  void free_allocation(const api::Uid& uid) const;

 private:
  const HostResources& host_;
  ImagePuller& images_;
  Prober& prober_;
  ProbeResults& probes_;
  Allocations& allocations_;
  const ShareBalancer& shares_;
};

// The stages kTerminating to kFinished: stops a pod, releases what it used, and if it leaves,
// removes all of it and tells the API server.
class PodTermination {
 public:
  struct Context {
    Registry& registry;
    PostStarts& post_starts;
    Prober& prober;
    StatusWriter& statuses;
    const PodStopper& stopper;
    const PodReleaser& releaser;
    const PodRemover& remover;
    const StatusReporter& reporter;
    // Adds a pod to the queue.
    std::function<void(api::UidView uid)> enqueue;
  };
  // Everything outlives it.
  explicit PodTermination(Context context) : context_(std::move(context)) {}

  // Continues from the stage that the pod is in. Never waits for containers: the stopper leads to
  // the next reconcile.
  Result<void> run(ReconcileState& state) const;
  // The node stops: the pod's containers end in the same way, and the pod stays as it is.
  void halt(ReconcileState& state, Duration most_grace) const;

 private:
  void begin(ReconcileState& state) const;
  void cancel_post_starts(const ReconcileState& state) const;
  Result<void> release(ReconcileState& state) const;
  Result<void> remove(ReconcileState& state) const;

  const Context context_;
};

}  // namespace proa::kubelet
