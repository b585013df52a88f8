#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>

#include "kubelet/host/cgroups/pod_resources.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/pod/allocation/bounds.h"
#include "kubelet/pod/allocation/resize_conditions.h"
#include "kubelet/pod/handlers/probes/results.h"
#include "kubelet/runtime/cri/runtime_pod.h"

namespace proa::kubelet {

// Why a container waits: reason and message of its waiting state.
struct WaitingReason {
  std::string reason = {};  // "ImagePullBackOff", "CrashLoopBackOff", "CreateContainerConfigError"
  std::string message = {};
};

struct StatusInputs {
  const Pod& pod;
  const cri::RuntimePod& running;
  const ProbeResults& probes;
  const PodFacts& facts;
  Time now = {};
  // The status as computed last, or that of the mirror pod. It may be newer than the API server's.
  // Absent: pod.status().
  api::View previous = {};
  std::map<std::string, WaitingReason, std::less<>> waiting = {};  // by container
  BoundsOfContainers bounds = {};  // of running containers, if known
  ResizeConditions resize = {};
  // The limits of the pod's cgroup. Absent: those of its spec.
  std::optional<CgroupValues> enforced = {};
  // Containers that restart however their newest instance exited.
  std::set<std::string, std::less<>> restart_after_stop = {};
  // The pod fails whatever its containers did: evicted, past its deadline. Empty: it does not.
  std::string final_reason = {};  // "Evicted", "DeadlineExceeded"
  std::string final_message = {};
  bool stopping = false;  // its containers are being stopped for good
  bool stopped = false;   // nothing of it runs any more, nor ever will
  // Reads the termination message of a container, from the file or the log. Called once per
  // container.
  std::function<std::string(const cri::Container& ended)> termination_message = {};
  std::string runtime_name = "containerd";  // prefix of container ids
  bool recursive_read_only = false;         // the runtime can mount so, for this pod
  // Start time of this kubelet: containers that were ready before stay ready until their probe has
  // a result.
  Time kubelet_started = {};
};

}  // namespace proa::kubelet
