#include "apiserver/front/tracing/traceparent.h"

#include <algorithm>
#include <span>

namespace proa::apiserver::tracing {
namespace traceparent {

constexpr unsigned char kMaxVersion = 0xfe;
constexpr unsigned char kSampled = 1;

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;  // upper case is not allowed
  return -1;
}

// Takes the next part, up to a hyphen or the end, which must be exactly these bytes in hexadecimal.
bool take(std::string_view& text, std::span<unsigned char> out) {
  const size_t end = std::min(text.find('-'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (part.size() != 2 * out.size()) return false;
  for (size_t i = 0; i < out.size(); ++i) {
    const int high = digit(part[2 * i]);
    const int low = digit(part[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    out[i] = static_cast<unsigned char>(high << 4 | low);
  }
  return true;
}

bool is_zero(std::span<const unsigned char> bytes) {
  return std::ranges::all_of(bytes, [](unsigned char byte) { return byte == 0; });
}

}  // namespace traceparent

std::optional<RemoteSpan> parse_traceparent(std::string_view text) {
  using namespace traceparent;  // NOLINT: of this file only
  RemoteSpan remote;
  std::array<unsigned char, 1> version{};
  std::array<unsigned char, 1> flags{};
  if (!take(text, version) || version[0] > kMaxVersion) return std::nullopt;
  if (!take(text, remote.trace) || !take(text, remote.span) || !take(text, flags))
    return std::nullopt;
  // Later versions may add parts and flags.
  if (version[0] == 0 && (!text.empty() || flags[0] > 2)) return std::nullopt;
  if (is_zero(remote.trace) || is_zero(remote.span)) return std::nullopt;
  remote.sampled = (flags[0] & kSampled) != 0;
  return remote;
}

bool is_sampled(const TraceId& trace, uint32_t per_million) {
  constexpr uint32_t kMillion = 1'000'000;
  if (per_million >= kMillion) return true;
  uint64_t number = 0;
  for (size_t i = 8; i < trace.size(); ++i) number = number << 8 | trace[i];
  const double bound = static_cast<double>(per_million) / kMillion * 0x1p63;
  return number >> 1 < static_cast<uint64_t>(bound);
}

}  // namespace proa::apiserver::tracing
