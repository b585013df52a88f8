#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"

namespace proa::kubelet {

// The runtime's id ("containerd://...", as the status has it) of the container whose log is meant,
// by a PodStatus: the one that runs or ran last, or with `previous` the one before. Failures are
// what upstream answers, kBadRequest.
Result<std::string> log_source(api::View pod_status, std::string_view pod_name,
                               std::string_view container, bool previous);

}  // namespace proa::kubelet
