#pragma once

#include "kubelet/worker/pod_worker.h"

namespace proa::kubelet {

// One look at one pod: what is wanted, what is there, when to look again.
struct PodWorker::Look {
  PodPtr pod;
  bool gone = false;
  PodMemory& memory;
  cri::RuntimePod running = {};
  Steady next = Steady::max();

  const std::string& uid() const { return pod->uid(); }
  std::vector<std::string> addresses() const {
    return running.sandboxes.empty() ? std::vector<std::string>()
                                     : running.sandboxes.front().addresses;
  }
  void look_at(Steady time) { next = std::min(next, time); }
};

}  // namespace proa::kubelet
