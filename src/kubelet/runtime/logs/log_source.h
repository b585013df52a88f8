#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"

namespace proa::kubelet {

// The runtime's id ("containerd://...", as in the status) of the container whose log is wanted,
// from a PodStatus: the current or last instance, or with `previous` the one before. Failures are
// upstream's, kBadRequest.
Result<std::string> log_source(api::View pod_status, std::string_view pod_name,
                               std::string_view container, bool previous);

}  // namespace proa::kubelet
