#pragma once

#include <string>
#include <vector>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

// Why a pod may not run here: status.reason and message of a pod that is refused, as upstream says
// them: "OutOfcpu", "NodeAffinity", "NodePorts", "UnexpectedAdmissionError", "SysctlForbidden",
// "PodOSNotSupported". An empty reason: it may.
struct Refusal {
  std::string reason = {};
  std::string message = {};
};

// `others`: the pods that are admitted already and not over. `node`: the Node as it is.
Refusal admit(const Pod& pod, const api::Object& node, const std::vector<PodPtr>& others);

}  // namespace proa::kubelet
