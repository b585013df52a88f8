#include "kubelet/pod/handlers/http/http_location.h"

#include <cctype>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "http/wire/url.h"

namespace proa::kubelet {
namespace http_location {

bool is_escape(std::string_view text) {
  return text.size() >= 3 && std::isxdigit(static_cast<unsigned char>(text[1])) != 0 &&
         std::isxdigit(static_cast<unsigned char>(text[2])) != 0;
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kUnsafe = "\"<>\\^`{|}";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_plain = byte > 0x20 && byte < 0x7f &&
                          kUnsafe.find(text[i]) == std::string_view::npos &&
                          (text[i] != '%' || is_escape(text.substr(i)));
    if (is_plain) {
      out += text[i];
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

std::string_view without_fragment(std::string_view text) { return text.substr(0, text.find('#')); }

// "http://host" or "//host" at the front of a path is Go's to parse, and upstream's to overwrite.
std::string_view without_authority(std::string_view path) {
  size_t slashes = path.find("//");
  if (slashes == std::string_view::npos) return path;
  const std::string_view scheme = path.substr(0, slashes);
  const bool has_scheme = scheme.size() > 1 && scheme.back() == ':' &&
                          scheme.find_first_of("/?") == std::string_view::npos;
  if (slashes != 0 && !has_scheme) return path;
  const size_t rest = path.find_first_of("/?", slashes + 2);
  return rest == std::string_view::npos ? std::string_view() : path.substr(rest);
}

}  // namespace http_location

std::string target_of_path(std::string_view path) {
  path = http_location::without_authority(http_location::without_fragment(path));
  const std::string text = http_location::encoded(path);
  return !text.empty() && text.front() == '/' ? text : "/" + text;
}

bool is_absolute_location(std::string_view location) {
  return location.rfind("//", 0) == 0 || location.find("://") < location.find_first_of("/?");
}

Result<Location> resolve_location(const HttpGet& from, std::string_view location) {
  const std::string text = http_location::encoded(http_location::without_fragment(location));
  if (is_absolute_location(text)) {
    const std::string whole = text.front() == '/' ? (from.tls ? "https:" : "http:") + text : text;
    auto url = http::parse_url(whole);
    if (!url.ok()) {
      return Status(Reason::kBadRequest, "failed to parse Location header " +
                                             api::quoted(location) + ": " + url.status().message());
    }
    return Location{url->has_tls(), url->host, url->port, url->target};
  }
  Location found{from.tls, to_lower(from.host), from.port, {}};
  const std::string path = from.target.substr(0, from.target.find('?'));
  if (!text.empty() && text.front() == '/') {
    found.target = text;
  } else if (!text.empty() && text.front() == '?') {
    found.target = path + text;
  } else {
    found.target = path.substr(0, path.rfind('/') + 1) + text;
  }
  return found;
}

}  // namespace proa::kubelet
