#pragma once

#include <optional>

#include "http/server/exchange.h"
#include "http/wire/message.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// Serves non-resource paths: health, discovery, documents.
class PathHandler {
 public:
  virtual ~PathHandler() = default;
  // Nullopt if it does not serve the path. Called on loop threads: must not block.
  virtual std::optional<http::Response> answer(const http::RequestHead& head,
                                               const http::Target& target) = 0;
  // Whether the answer takes more than a loop thread may spend; then answer_long() gives it, on the
  // pool.
  virtual bool takes_long(const http::Target&) const { return false; }
  virtual void answer_long(const http::ExchangePtr&, const http::Target&) {}
};

// Joins the decoded segments, as Go's URL.Path: "/livez/ping", "/debug/pprof/". Access is decided
// by it. Segments that contain a slash ("a%2fb") match nothing.
std::string sent_path_of(const http::Target& target);
// The same without slashes at its end, for handlers that take both.
std::string path_of(const http::Target& target);

http::Response text_response(int code, std::string body);

}  // namespace proa::apiserver
