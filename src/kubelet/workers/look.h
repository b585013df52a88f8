#pragma once

#include "kubelet/workers/pod_worker.h"

namespace proa::kubelet {

// One look at one pod: what is wanted, what is there, when to look again.
struct PodWorker::Look {
  PodPtr pod;  // with what it was given, in place of what its spec asks for
  bool gone = false;
  bool returned = false;
  PodMemory& memory;
  cri::RuntimePod running = {};
  // Calls off what would start something of it: it shall go meanwhile, or the program ends.
  std::stop_token stop = {};
  ResizePlan resize = {};
  Result<void> resized = {};
  Steady next = Steady::max();

  const std::string& uid() const { return pod->uid(); }
  // Whether nothing of it shall stay.
  bool leaves() const { return gone || returned || pod->deleted_at().has_value(); }
  std::vector<std::string> addresses() const {
    return running.sandboxes.empty() ? std::vector<std::string>()
                                     : running.sandboxes.front().addresses;
  }
  BeginAgain begin_again() const {
    BeginAgain names;
    for (const auto& [name, id] : memory.begin_again) {
      const cri::Container* newest = running.newest(name);
      if (newest != nullptr && newest->id == id) names.insert(name);
    }
    return names;
  }
  void look_at(Steady time) { next = std::min(next, time); }
};

}  // namespace proa::kubelet
