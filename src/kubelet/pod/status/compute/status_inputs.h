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

// Why a container does not run yet, or not again: a waiting state's reason and message.
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
  // The status as it was computed last, or what the mirror of a static pod has. It knows more than
  // the API, which may lag behind. Absent: pod.status().
  api::View previous = {};
  std::map<std::string, WaitingReason, std::less<>> waiting = {};  // by container
  BoundsOfContainers bounds = {};  // of those that run, where that is known
  ResizeConditions resize = {};
  // What the cgroup of the pod enforces. Absent: what follows from its spec.
  std::optional<CgroupValues> enforced = {};
  // Containers that begin anew however their newest one ended.
  std::set<std::string, std::less<>> restart_after_stop = {};
  // The pod is over whatever its containers did: evicted, past its deadline. Empty: no.
  std::string final_reason = {};  // "Evicted", "DeadlineExceeded"
  std::string final_message = {};
  bool stopping = false;  // its containers are being stopped, for good
  bool stopped = false;   // nothing of it runs any more, nor ever will
  // Termination messages: (container as the runtime has it) -> message; reads the file or the log.
  // Asked once for a container.
  std::function<std::string(const cri::Container& ended)> termination_message = {};
  std::string runtime_name = "containerd";  // as the ids of containers begin
  bool recursive_read_only = false;         // the runtime can mount so, for this pod
  // When this kubelet began: what was ready before then stays so until its probe says something.
  Time kubelet_started = {};
};

}  // namespace proa::kubelet
