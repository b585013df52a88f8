#pragma once

#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/workers/state/allocations.h"

namespace proa::kubelet {

// Keeps the CPU shares of the QoS cgroups in line with the admitted pods. Must run before a pod's
// containers start: a QoS cgroup without pods has next to no shares for its first one.
class ShareBalancer {
 public:
  // Everything outlives it.
  ShareBalancer(Cgroups& cgroups, Allocations& allocations)
      : cgroups_(cgroups), allocations_(allocations) {}

  // Failures are logged: the housekeeper repeats it.
  void balance() const;

 private:
  Cgroups& cgroups_;
  Allocations& allocations_;
};

}  // namespace proa::kubelet
