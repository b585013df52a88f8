#pragma once

#include <functional>
#include <string>

#include "apiserver/request/request.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// Paths that others than this room answer; whoever wires the server puts them here. As all paths
// that are no resources, they are for those whose roles name them (nonResourceURLs).
struct ExtraPath {
  std::string prefix;  // "/debug/proa/explain-pending/"
  // On the pool, so it may wait. `user`: who asks, and may.
  std::function<http::Response(const http::RequestHead& head, const http::Target& target,
                               const User& user)>
      answer;
};

}  // namespace proa::apiserver
