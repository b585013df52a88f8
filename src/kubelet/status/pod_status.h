#pragma once

#include <functional>
#include <map>
#include <set>

#include "kubelet/cgroups/pod_resources.h"
#include "kubelet/cri/runtime_pod.h"
#include "kubelet/environment/pod_facts.h"
#include "kubelet/probes/results.h"
#include "kubelet/resize/bounds.h"
#include "kubelet/resize/resize_conditions.h"

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
  std::set<std::string, std::less<>> begin_again = {};
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

// The status of a pod as upstream computes it, all of it: phase, conditions (times of transitions
// are kept), addresses, container statuses, qosClass, startTime, observedGeneration. A document of
// type PodStatus.
json::Document compute_status(const StatusInputs& inputs);

// The status of a pod that this node refused (see admit/): it failed, and nothing else is said.
json::Document refused_status(const Pod& pod, std::string_view reason, std::string_view message,
                              Time now);

// "Pending", "Running", "Succeeded", "Failed" of such a document.
std::string_view phase_of(const json::Document& status);
bool is_final_phase(std::string_view phase);

}  // namespace proa::kubelet
