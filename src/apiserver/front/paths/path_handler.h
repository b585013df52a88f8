#pragma once

#include <optional>

#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// Answers paths that are no resources: health, discovery, documents. Called on loops' threads, so
// it must not wait.
class PathHandler {
 public:
  virtual ~PathHandler() = default;
  // Nullopt when the path is none of its own.
  virtual std::optional<http::Response> answer(const http::RequestHead& head,
                                               const http::Target& target) = 0;
};

// "/livez/ping" from the decoded segments; what can't be a path of ours ("a%2fb") is no match.
std::string path_of(const http::Target& target);

http::Response text_response(int code, std::string body);

}  // namespace proa::apiserver
