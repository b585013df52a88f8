#pragma once

#include <string>

#include "kubelet/model/options.h"

namespace proa::kubelet {

// The response of /configz: the options as upstream's KubeletConfiguration.
std::string configz_json(const KubeletOptions& options);

}  // namespace proa::kubelet
