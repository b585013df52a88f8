#pragma once

#include <string_view>

#include "base/status.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// Converts a kubelet's error response for a log, with upstream's messages
// (GenericHttpResponseChecker). `url` is the requested one, `pod` the log's pod.
Status log_failure(const http::Response& answer, std::string_view url, std::string_view pod);

}  // namespace proa::apiserver
