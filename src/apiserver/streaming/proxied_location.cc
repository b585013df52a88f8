#include "apiserver/streaming/proxied_location.h"

#include <algorithm>

#include "http/wire/url.h"

namespace proa::apiserver {
namespace proxied_locations {

// A URL split into views.
struct Parts {
  std::string_view scheme = {};  // with its "://", or the "  // with its "://", or just "//"
  std::string_view host = {};
  std::string_view rest = {};  // path, query and fragment
};

Parts take_apart(std::string_view location) {
  const size_t slashes = location.find("//");
  const bool absolute = slashes == 0 || (slashes != std::string_view::npos && slashes > 1 &&
                                         location.find_first_of(":/?#") == slashes - 1 &&
                                         location[slashes - 1] == ':');
  if (!absolute) return {.rest = location};
  const std::string_view behind = location.substr(slashes + 2);
  const size_t end = std::min(behind.find_first_of("/?#"), behind.size());
  return {.scheme = location.substr(0, slashes + 2),
          .host = behind.substr(0, end),
          .rest = behind.substr(end)};
}

// Percent-encodes markup characters.
std::string encode_markup(std::string_view text) {
  constexpr std::string_view kEncoded = "<>\"`{}|\\^ ";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > ' ' && byte < 0x7f && kEncoded.find(c) == std::string_view::npos;
    out += plain ? std::string(1, c) : http::percent_encode({&c, 1});
  }
  return out;
}

// With its port, or without it if it is the scheme's default.
bool is_backend(std::string_view host, const http::Origin& origin) {
  const bool v6 = origin.host.find(':') != std::string::npos;
  const std::string bare = v6 ? "[" + origin.host + "]" : origin.host;
  return host == bare + ":" + std::to_string(origin.port) || host == origin.authority();
}

}  // namespace proxied_locations

std::string proxied_location(std::string_view location, const Destination& proxy,
                             std::string_view host) {
  using namespace proxied_locations;
  const Parts parts = take_apart(location);
  const bool is_ours = !parts.host.empty() && parts.host == host;
  const bool elsewhere = !parts.host.empty() && !is_ours && !is_backend(parts.host, proxy.origin);
  if (elsewhere || !parts.rest.starts_with('/')) return encode_markup(location);
  std::string changed;
  if (is_ours) changed.append(parts.scheme).append(parts.host);
  if (!parts.rest.starts_with(proxy.prefix)) changed += proxy.prefix;
  return changed + encode_markup(parts.rest);
}

}  // namespace proa::apiserver
