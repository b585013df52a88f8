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
  bool again = false;  // it is restarted, however it exits
};

// The next steps for a pod.
struct PodPlan {
  // Stop everything: the containers, then the sandbox.
  bool stop_all = false;
  // Start a sandbox, with that attempt; after stop_all.
  bool new_sandbox = false;
  uint32_t attempt = 0;
  std::vector<ContainerStop> stop = {};
  // In this order, once the containers above have exited. Views into the pod.
  std::vector<ContainerSpec> start = {};
};

using ContainerIds = std::set<std::string, std::less<>>;
// Names of containers whose newest instance was stopped in order to restart it: its exit code does
// not matter.
using RestartNames = std::set<std::string, std::less<>>;

// Pure. `running`: all that the runtime has of the pod. `resized`: containers that a resize
// restarts, whatever their restart policy.
PodPlan plan_pod(const Pod& pod, const cri::RuntimePod& running, const ProbeResults& probes,
                 const ContainerIds& resized = {}, const RestartNames& restart_after_stop = {});

}  // namespace proa::kubelet
