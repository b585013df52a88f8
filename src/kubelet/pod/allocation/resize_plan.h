#pragma once

#include <set>

#include "kubelet/pod/allocation/bounds.h"
#include "kubelet/runtime/cri/runtime_pod.h"

namespace proa::kubelet {

// How running containers get the resources allocated to their pod.
struct ResizePlan {
  struct Update {
    std::string id = {};
    ContainerSpec container = {};  // a view into the pod
    ContainerBounds now = {};
    ContainerBounds wanted = {};
  };
  // Ids of containers whose resize policy requires a restart.
  std::set<std::string, std::less<>> restart = {};
  // Memory and CPU are updated one after the other; in each list, shrinking containers come first.
  std::vector<Update> memory = {};
  std::vector<Update> cpu = {};

  bool empty() const { return restart.empty() && memory.empty() && cpu.empty(); }
};

// Pure. `now`: the current resources of the containers.
ResizePlan plan_resize(const Pod& pod, const cri::RuntimePod& running,
                       const BoundsOfContainers& now);

// A memory limit that has to shrink.
struct MemoryCut {
  std::string container = {};  // empty: the pod's
  int64_t limit = 0;
  std::optional<int64_t> used = {};  // absent: unknown
};

// Why a limit cannot shrink now: the kernel would kill processes. Empty: it can.
std::string find_memory_in_use(const std::vector<MemoryCut>& cuts);

}  // namespace proa::kubelet
