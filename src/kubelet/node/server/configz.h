#pragma once

#include <string>

#include "kubelet/model/options.h"

namespace proa::kubelet {

// What /configz answers: the options in the words of upstream's KubeletConfiguration.
std::string configz_json(const KubeletOptions& options);

}  // namespace proa::kubelet
