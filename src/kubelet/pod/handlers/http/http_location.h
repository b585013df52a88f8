#pragma once

#include <string>
#include <string_view>

#include "kubelet/pod/handlers/http/http_get.h"

namespace proa::kubelet {

// The request target for the path of a spec, as Go's URL would have it: with its query, without a
// fragment, beginning with a slash; what can't stand in a target is percent-encoded.
std::string target_of_path(std::string_view path);

struct Location {
  bool tls = false;
  std::string host = {};  // in lower case
  int port = 0;
  std::string target = {};
};
// Where a Location field leads to, from what was asked for.
Result<Location> resolve_location(const HttpGet& from, std::string_view location);
// Whether it names a host.
bool is_absolute_location(std::string_view location);

}  // namespace proa::kubelet
