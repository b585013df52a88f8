#pragma once

#include <string_view>

#include "base/status.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// What a kubelet's answer means that has no log in it, in upstream's words
// (GenericHttpResponseChecker). `url` is what it was asked for, `pod` whose log.
Status log_failure(const http::Response& answer, std::string_view url, std::string_view pod);

}  // namespace proa::apiserver
