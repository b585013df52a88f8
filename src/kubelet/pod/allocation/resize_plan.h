#pragma once

#include <set>

#include "kubelet/pod/allocation/bounds.h"
#include "kubelet/runtime/cri/runtime_pod.h"

namespace proa::kubelet {

// What containers that run lack of what their pod was given.
struct ResizePlan {
  struct Update {
    std::string id = {};
    ContainerSpec container = {};  // a view into the pod
    ContainerBounds now = {};
    ContainerBounds wanted = {};
  };
  // Ids of those whose policy says that they begin anew.
  std::set<std::string, std::less<>> restart = {};
  // Memory and processors are told one after the other, of each first those that give something
  // back.
  std::vector<Update> memory = {};
  std::vector<Update> cpu = {};

  bool empty() const { return restart.empty() && memory.empty() && cpu.empty(); }
};

// Pure. `now`: what the containers have.
ResizePlan plan_resize(const Pod& pod, const cri::RuntimePod& running,
                       const BoundsOfContainers& now);

// A bound of memory that shall become less.
struct MemoryCut {
  std::string container = {};  // empty: the pod's
  int64_t limit = 0;
  std::optional<int64_t> used = {};  // absent: nobody knows
};

// Why that can't be done now: the kernel would kill. Empty: it can.
std::string find_memory_in_use(const std::vector<MemoryCut>& cuts);

}  // namespace proa::kubelet
