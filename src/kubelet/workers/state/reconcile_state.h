#pragma once

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/plan/pod_plan.h"
#include "kubelet/runtime/cri/runtime_pod.h"
#include "kubelet/workers/state/pod_memory.h"

namespace proa::kubelet {

// Whether the node shall run a pod.
enum class Demand : uint8_t {
  kWanted,
  kRemoved,   // the API server or the manifest folder has it no more
  kReturned,  // removed and added again: the old one terminates before the new one starts
};

// One reconcile of one pod: what is wanted, what the runtime has, when to reconcile again.
struct ReconcileState {
  PodPtr pod;  // with its allocated resources in place of those of its spec
  Demand demand = Demand::kWanted;
  PodMemory& memory;
  const Clock& clock;
  cri::RuntimePod running = {};
  // Cancels calls that start something: the pod leaves, or the kubelet stops.
  std::stop_token stop = {};
  std::stop_token shutdown = {};  // the kubelet stops
  Steady next = Steady::max();

  const api::Uid& uid() const { return pod->uid(); }
  // Whether nothing of it shall remain.
  bool leaves() const { return demand != Demand::kWanted || pod->deleted_at().has_value(); }
  bool is_over() const { return proa::kubelet::is_over(memory.stage); }
  // Of its newest sandbox.
  std::vector<std::string> addresses() const {
    return running.sandboxes.empty() ? std::vector<std::string>()
                                     : running.sandboxes.front().addresses;
  }
  std::string address() const {
    return running.sandboxes.empty() || running.sandboxes.front().addresses.empty()
               ? std::string()
               : running.sandboxes.front().addresses.front();
  }
  // Containers that start again however their newest instance exits.
  RestartNames restart_after_stop() const {
    RestartNames names;
    for (const auto& [name, id] : memory.restart_after_stop) {
      const cri::Container* newest = running.newest(name);
      if (newest != nullptr && newest->id == id) names.insert(name);
    }
    return names;
  }
  void reconcile_at(Steady time) { next = std::min(next, time); }
  void reconcile_after(Duration delay) { reconcile_at(clock.steady() + delay); }

  // The deadline of one call to the runtime that starts or changes something.
  Until call_deadline() const { return Until::after(clock, kCallTimeout, stop); }
  // The same for calls that stop or remove: only a shutdown cancels them.
  Until removal_deadline() const { return Until::after(clock, kCallTimeout, shutdown); }

  // Pulls and grace periods are not waited for, so a healthy runtime answers long before this.
  static constexpr Duration kCallTimeout = std::chrono::minutes(4);
};

}  // namespace proa::kubelet
