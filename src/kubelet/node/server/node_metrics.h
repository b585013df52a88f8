#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// The response of /metrics, in Prometheus' text format: the node's pods and containers as they are
// now, and this process. Families and labels are upstream's.
std::string node_metrics(std::string_view node_name, const std::vector<PodPtr>& pods,
                         const std::vector<cri::Sandbox>& sandboxes,
                         const std::vector<cri::Container>& containers);

}  // namespace proa::kubelet
