#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace proa::http {

// An absolute http or https URL.
struct Url {
  std::string scheme;  // "http" or "https"
  std::string host;    // a name or an IP address, in lower case, without brackets
  int port = 0;        // the scheme's default if the URL has none
  std::string target;  // path and query, as written; at least "/"

  bool has_tls() const { return scheme == "https"; }
};

// User names, passwords, fragments and other schemes are rejected: we never need them, and each can
// disguise the real destination.
Result<Url> parse_url(std::string_view text);

struct TargetLimits {
  size_t bytes = 32 * 1024;
  size_t segments = 256;
  size_t query_pairs = 1024;
};

// A parsed request target in origin form: "/api/v1/pods?watch=true".
struct Target {
  using Pair = std::pair<std::string, std::string>;

  std::string raw_path;               // as sent
  std::string raw_query;              // as sent, without the question mark
  std::vector<std::string> segments;  // percent-decoded; "/" has none, "/a/" has "a" and ""
  std::vector<Pair> query;            // percent-decoded, '+' is a space, in order

  // The first value of that name, or null.
  const std::string* find(std::string_view name) const;
};

// Accepts what Go's net/url accepts, with one difference: where its query parser skips a malformed
// pair, ours rejects the request. An encoded slash does not split a segment. On failure:
// BadRequest.
Result<Target> parse_target(std::string_view text, const TargetLimits& limits = {});

// Encodes a value for a query or a path segment: everything but unreserved characters.
std::string percent_encode(std::string_view text);

}  // namespace proa::http
