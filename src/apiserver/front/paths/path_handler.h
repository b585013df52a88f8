#pragma once

#include <optional>

#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// Serves non-resource paths: health, discovery, documents. Called on loop threads: must not block.
class PathHandler {
 public:
  virtual ~PathHandler() = default;
  // Nullopt if it does not serve the path.
  virtual std::optional<http::Response> answer(const http::RequestHead& head,
                                               const http::Target& target) = 0;
};

// Joins the decoded segments: "/livez/ping". Segments that contain a slash ("a%2fb") match nothing.
std::string path_of(const http::Target& target);

http::Response text_response(int code, std::string body);

}  // namespace proa::apiserver
