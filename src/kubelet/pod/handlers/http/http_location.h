#pragma once

#include <string>
#include <string_view>

#include "kubelet/pod/handlers/http/http_get.h"

namespace proa::kubelet {

// The request target for a path of a spec, as Go's URL produces it: with its query, without a
// fragment, with a leading slash; invalid characters are percent-encoded.
std::string target_of_path(std::string_view path);

struct Location {
  bool tls = false;
  std::string host = {};  // in lower case
  int port = 0;
  std::string target = {};
};
// Resolves a Location header against the request.
Result<Location> resolve_location(const HttpGet& from, std::string_view location);
// Whether it has a host.
bool is_absolute_location(std::string_view location);

}  // namespace proa::kubelet
