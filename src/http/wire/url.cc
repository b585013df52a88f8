#include "http/wire/url.h"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <optional>

#include "base/encoding.h"
#include "base/strings.h"

namespace proa::http {
namespace url {

Status refused(std::string_view what, std::string_view why) {
  return {Reason::kBadRequest,
          std::string("malformed ") + std::string(what) + ": " + std::string(why)};
}

enum class Plus : uint8_t { kIsPlus, kIsSpace };

// Nullopt for a malformed percent encoding or an encoded NUL.
std::optional<std::string> decode(std::string_view text, Plus plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      const auto byte = from_hex(text.substr(i + 1, 2));
      if (!byte || byte->size() != 1 || byte->front() == '\0') return std::nullopt;
      decoded.push_back(byte->front());
      i += 2;
    } else if (text[i] == '+' && plus == Plus::kIsSpace) {
      decoded.push_back(' ');
    } else {
      decoded.push_back(text[i]);
    }
  }
  return decoded;
}

Result<void> parse_path(const TargetLimits& limits, Target& target) {
  if (target.raw_path == "/") return {};
  for (const auto segment : split(std::string_view(target.raw_path).substr(1), '/')) {
    auto decoded = decode(segment, Plus::kIsPlus);
    if (!decoded) return refused("path", "a broken percent code");
    if (target.segments.size() == limits.segments) return refused("path", "too many segments");
    target.segments.push_back(std::move(*decoded));
  }
  return {};
}

Result<void> parse_query(const TargetLimits& limits, Target& target) {
  for (const auto pair : split(target.raw_query, '&')) {
    if (pair.empty()) continue;
    // Go rejects semicolons since 1.17: proxies that split at them see other pairs than we do.
    if (pair.find(';') != std::string_view::npos) return refused("query", "a semicolon");
    if (target.query.size() == limits.query_pairs) return refused("query", "too many pairs");
    const size_t equals = std::min(pair.find('='), pair.size());
    auto name = decode(pair.substr(0, equals), Plus::kIsSpace);
    auto value = decode(pair.substr(std::min(equals + 1, pair.size())), Plus::kIsSpace);
    if (!name || !value) return refused("query", "a broken percent code");
    target.query.emplace_back(std::move(*name), std::move(*value));
  }
  return {};
}

// A host to connect to and for the Host field: nothing that could be read as more.
Result<std::string> plain_host(const boost::urls::url_view& parsed) {
  std::string host = to_lower(std::string(parsed.encoded_host_address()));
  if (host.empty()) return refused("URL", "it has no host");
  if (host.find('%') != std::string::npos) return refused("URL", "its host is percent-encoded");
  return host;
}

}  // namespace url

Result<Url> parse_url(std::string_view text) {
  if (text.size() > TargetLimits{}.bytes) return url::refused("URL", "it is too long");
  const auto parsed = boost::urls::parse_uri(boost::urls::string_view(text.data(), text.size()));
  if (!parsed) return url::refused("URL", parsed.error().message());
  if (parsed->has_userinfo()) return url::refused("URL", "it has a user name or password");
  if (parsed->has_fragment()) return url::refused("URL", "it has a fragment");

  Url result;
  if (parsed->scheme_id() == boost::urls::scheme::http) {
    result.scheme = "http";
  } else if (parsed->scheme_id() == boost::urls::scheme::https) {
    result.scheme = "https";
  } else {
    return url::refused("URL", "its scheme is neither http nor https");
  }
  result.host = TRY(url::plain_host(*parsed));
  result.port = result.has_tls() ? 443 : 80;
  if (parsed->has_port() && !parsed->port().empty()) {
    // Not port_number(): of what does not fit, Boost.URL 1.81 takes the last 16 bits.
    const auto port = parse_uint(std::string(parsed->port()));
    if (!port || *port == 0 || *port > 65535)
      return url::refused("URL", "its port is not between 1 and 65535");
    result.port = static_cast<int>(*port);
  }
  result.target = std::string(parsed->encoded_path());
  // Boost.URL 1.81 takes "host:12x" as port 12 and path "x".
  if (!result.target.empty() && result.target.front() != '/')
    return url::refused("URL", "its port is not a number");
  if (result.target.empty()) result.target = "/";
  if (parsed->has_query()) result.target += "?" + std::string(parsed->encoded_query());
  return result;
}

const std::string* Target::find(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(),
                                  [&](const Pair& pair) { return pair.first == name; });
  return found == query.end() ? nullptr : &found->second;
}

Result<Target> parse_target(std::string_view text, const TargetLimits& limits) {
  if (text.empty() || text.front() != '/') {
    return url::refused("request target", "it does not begin with a slash");
  }
  if (text.size() > limits.bytes) return url::refused("request target", "it is too long");
  const bool clean = std::none_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7f || c == '#';
  });
  if (!clean)
    return url::refused("request target", "it has a space, control character or fragment");

  Target target;
  const size_t mark = text.find('?');
  target.raw_path = std::string(text.substr(0, mark));
  if (mark != std::string_view::npos) target.raw_query = std::string(text.substr(mark + 1));
  TRY(url::parse_path(limits, target));
  TRY(url::parse_query(limits, target));
  return target;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string encoded;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      encoded.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded.push_back('%');
      encoded.push_back(kDigits[byte >> 4]);
      encoded.push_back(kDigits[byte & 15]);
    }
  }
  return encoded;
}

}  // namespace proa::http
