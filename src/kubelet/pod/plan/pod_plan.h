#pragma once

#include <set>
#include <string>
#include <vector>

#include "kubelet/model/pod.h"
#include "kubelet/pod/handlers/probes/results.h"
#include "kubelet/runtime/cri/runtime_pod.h"

namespace proa::kubelet {

enum class StopReason : uint8_t { kNone, kLiveness, kStartup };

struct ContainerStop {
  std::string id = {};
  std::string name = {};
  std::string message = {};  // of the Event Killing
  StopReason reason = StopReason::kNone;
  bool again = false;  // it begins anew afterwards, however it ends
};

// What to do next for a pod.
struct PodPlan {
  // Everything of it ends: the containers, then the sandbox.
  bool stop_all = false;
  // Then, or first: a sandbox is made, with that number.
  bool new_sandbox = false;
  uint32_t attempt = 0;
  std::vector<ContainerStop> stop = {};
  // In this order, once those above have ended. Views into the pod.
  std::vector<ContainerSpec> start = {};
};

using ContainerIds = std::set<std::string, std::less<>>;
// Names of containers whose newest one was stopped so that it begins anew: how it ended says
// nothing about that.
using RestartNames = std::set<std::string, std::less<>>;

// Pure. `running`: all that the runtime has of the pod. `resized`: those that begin anew because a
// resize requires it, whatever their restart policy is.
PodPlan plan_pod(const Pod& pod, const cri::RuntimePod& running, const ProbeResults& probes,
                 const ContainerIds& resized = {}, const RestartNames& restart_after_stop = {});

}  // namespace proa::kubelet
