#pragma once

#include <functional>
#include <string>

#include "apiserver/request/request.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// A path served by another component, registered by the command that wires the server. Authorized
// like all non-resource paths (nonResourceURLs).
struct ExtraPath {
  std::string
      prefix;  // "/debug/proa/explain-pending/"; without a slash at its end: the path itself
  // Runs on the pool and may block. `user` is authorized.
  std::function<http::Response(const http::RequestHead& head, const http::Target& target,
                               const User& user)>
      answer;
  bool listed = false;  // whether the index of paths names it
};

}  // namespace proa::apiserver
