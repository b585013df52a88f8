#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace proa::cel {

// What expressions see of a URL.
struct GoUrl {
  std::string scheme;
  std::string host;          // with the port
  std::string escaped_path;  // URL.EscapedPath()
  std::string query;         // as it was written
  std::string text;          // URL.String()
};

// Go's url.Parse, and url.ParseRequestURI if `request`: that one takes absolute URLs and paths
// only, and no fragment. On failure, `error` is in its words.
std::optional<GoUrl> parse_url(std::string_view text, bool request, std::string& error);

// Go's url.QueryUnescape; nullopt if it fails.
std::optional<std::string> unescape_query(std::string_view text);

}  // namespace proa::cel
