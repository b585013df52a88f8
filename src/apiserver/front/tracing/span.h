#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apiserver/front/tracing/traceparent.h"
#include "base/time.h"

namespace proa::apiserver::tracing {

struct Attribute {
  std::string_view key;  // a constant
  std::variant<std::string, int64_t> value;
};

// A finished step of a request, or the request itself.
struct Span {
  TraceId trace{};
  SpanId id{};
  std::optional<SpanId> parent = std::nullopt;
  std::string name;
  bool serves = false;  // the request itself
  Time begin{};
  Time end{};
  std::vector<Attribute> attributes = {};
  std::optional<RemoteSpan> link = std::nullopt;  // whoever says that it caused the request
  bool failed = false;
};

}  // namespace proa::apiserver::tracing
