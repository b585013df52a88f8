#pragma once

#include "kubelet/pod/allocation/resize_plan.h"
#include "kubelet/workers/actions/parts.h"

namespace proa::kubelet {

// Brings what runs of a pod to what the pod was given, without starting anything.
class Resizer {
 public:
  explicit Resizer(const Parts& parts) : parts_(parts) {}

  // What is to be done. Notes in the pod's memory which containers shall begin anew.
  ResizePlan plan(const Pod& pod, const cri::RuntimePod& running, PodMemory& memory) const;
  // Does it: the cgroup of the pod grows, the containers change, the cgroup shrinks; that last not
  // while containers that shall begin anew still have what they had. Fails before it changes
  // anything where memory is in use that shall be given back.
  Result<void> carry_out(const Pod& pod, const cri::RuntimePod& running, const ResizePlan& plan,
                         PodMemory& memory, const Until& until) const;

 private:
  // Of containers.
  std::vector<MemoryCut> memory_cuts(const Pod& pod, const ResizePlan& plan) const;
  void add_cut_of_pod(const Pod& pod, std::vector<MemoryCut>& cuts) const;
  // Tells the runtime, and notes that.
  Result<void> update(const Pod& pod, const ResizePlan::Update& update, const ContainerBounds& to,
                      PodMemory& memory, const Until& until) const;

  const Parts& parts_;
};

}  // namespace proa::kubelet
