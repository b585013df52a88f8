#include "cli/host/routes.h"

#include <bit>
#include <charconv>
#include <optional>

#include "base/strings.h"
#include "base/text/words.h"

namespace proa::cli {
namespace routes {

constexpr size_t kMaxBytes = 1 << 20;
constexpr std::string_view kLoopback = "lo";

std::optional<uint32_t> parse_hex(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "eth0 0000640A 00000000 0001 0 0 0 0000FFFF ...": numbers are in the byte order of the machine.
std::optional<Route> parse_v4(std::string_view line) {
  const std::vector<std::string_view> parts = words(line);
  if (parts.size() < 8) return std::nullopt;
  const auto destination = parse_hex(parts[1]);
  const auto mask = parse_hex(parts[7]);
  if (!destination || !mask || *mask == 0 || parts[0] == kLoopback) return std::nullopt;
  Route route{.link = std::string(parts[0])};
  route.network.address.bytes[10] = 0xff;
  route.network.address.bytes[11] = 0xff;
  for (size_t i = 0; i < 4; ++i) {
    route.network.address.bytes[12 + i] = static_cast<uint8_t>(*destination >> (8 * i));
  }
  route.network.bits = static_cast<unsigned>(std::popcount(*mask));
  return route;
}

// "fd000000000000000000000000000000 40 ... eth0"
std::optional<Route> parse_v6(std::string_view line) {
  constexpr size_t kWords = 10;
  const std::vector<std::string_view> parts = words(line);
  if (parts.size() != kWords || parts[0].size() != 32) return std::nullopt;
  const auto bits = parse_hex(parts[1]);
  if (!bits || *bits == 0 || *bits > 128 || parts.back() == kLoopback) return std::nullopt;
  Route route{.link = std::string(parts.back())};
  route.network.bits = *bits;
  route.network.v6 = true;
  for (size_t i = 0; i < 16; ++i) {
    const auto byte = parse_hex(parts[0].substr(2 * i, 2));
    if (!byte) return std::nullopt;
    route.network.address.bytes[i] = static_cast<uint8_t>(*byte);
  }
  return route;
}

}  // namespace routes

std::vector<Route> parse_routes(std::string_view v4, std::string_view v6) {
  std::vector<Route> all;
  for (const std::string_view line : split(v4, '\n')) {
    if (auto route = routes::parse_v4(line)) all.push_back(std::move(*route));
  }
  for (const std::string_view line : split(v6, '\n')) {
    if (auto route = routes::parse_v6(line)) all.push_back(std::move(*route));
  }
  return all;
}

std::vector<Route> own_routes(Files& files) {
  const auto v4 = files.read_file("/proc/net/route", routes::kMaxBytes);
  const auto v6 = files.read_file("/proc/net/ipv6_route", routes::kMaxBytes);
  return parse_routes(v4 ? *v4 : "", v6 ? *v6 : "");
}

}  // namespace proa::cli
