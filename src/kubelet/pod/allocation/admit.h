#pragma once

#include <string>
#include <vector>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Why the node refuses a pod: status.reason and message of the refused pod, as upstream has them:
// "OutOfcpu", "NodeAffinity", "NodePorts", "UnexpectedAdmissionError", "SysctlForbidden",
// "PodOSNotSupported". An empty reason: it is admitted.
struct Refusal {
  std::string reason = {};
  std::string message = {};
};

// `others`: the admitted pods that have not ended. `node`: the current Node.
Refusal admit(const Pod& pod, const api::Object& node, const std::vector<PodPtr>& others);

}  // namespace proa::kubelet
