#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace proa::apiserver::tracing {

using TraceId = std::array<unsigned char, 16>;
using SpanId = std::array<unsigned char, 8>;

// A span of another process, which caused a request.
struct RemoteSpan {
  TraceId trace{};
  SpanId span{};
  bool sampled = false;

  bool operator==(const RemoteSpan&) const = default;
};

// The header field traceparent of W3C Trace Context, as OpenTelemetry reads it:
// "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01". Nullopt: malformed, or all zero.
std::optional<RemoteSpan> parse_traceparent(std::string_view text);

// Whether a trace that begins here is recorded: `per_million` of all are, chosen by their ID, as
// OpenTelemetry's TraceIDRatioBased chooses.
bool is_sampled(const TraceId& trace, uint32_t per_million);

}  // namespace proa::apiserver::tracing
