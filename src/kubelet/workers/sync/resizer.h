#pragma once

#include "kubelet/host/machine_facts.h"
#include "kubelet/pod/allocation/resize_plan.h"
#include "kubelet/workers/state/share_balancer.h"
#include "kubelet/workers/sync/status_reporter.h"

namespace proa::kubelet {

// In-place resize: brings the running containers and the cgroup of a pod to the allocated
// resources, without starting anything.
class Resizer {
 public:
  // Everything outlives it.
  Resizer(const MachineFacts& machine, Cgroups& cgroups, cri::Runtime& runtime,
          const ShareBalancer& shares, Allocations& allocations, const StatusReporter& reporter)
      : machine_(machine),
        cgroups_(cgroups),
        runtime_(runtime),
        shares_(shares),
        allocations_(allocations),
        reporter_(reporter) {}

  // Makes the plan, and reports that a resize is in progress if there is something to do. Records
  // in the pod's memory which containers have to restart.
  void begin(ReconcileState& state, ResizePlan& plan) const;
  // Carries the plan out. Containers that have to restart get their resources when they start.
  Result<void> apply(ReconcileState& state, const ResizePlan& plan) const;
  // Reports completion if nothing is left to do. REQUIRES: apply() succeeded.
  void end(ReconcileState& state) const;

 private:
  ResizePlan make_plan(const Pod& pod, const cri::RuntimePod& running, PodMemory& memory) const;
  // The pod's cgroup grows, the containers change, the cgroup shrinks; the last step only after all
  // containers that have to restart have exited. Fails before any change if memory that has to be
  // given back is in use.
  Result<void> carry_out(const Pod& pod, const cri::RuntimePod& running, const ResizePlan& plan,
                         PodMemory& memory, const Until& until) const;
  std::vector<MemoryCut> memory_cuts(const Pod& pod, const ResizePlan& plan) const;
  void add_cut_of_pod(const Pod& pod, std::vector<MemoryCut>& cuts) const;
  // Tells the runtime, and records it.
  Result<void> update(const Pod& pod, const ResizePlan::Update& update, const ContainerBounds& to,
                      PodMemory& memory, const Until& until) const;

  const MachineFacts& machine_;
  Cgroups& cgroups_;
  cri::Runtime& runtime_;
  const ShareBalancer& shares_;
  Allocations& allocations_;
  const StatusReporter& reporter_;
};

}  // namespace proa::kubelet
