#include "apiserver/objects/continue_token.h"

#include <algorithm>
#include <cctype>

#include "api/object/view.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/text/go_syntax.h"

namespace proa::apiserver {
namespace continue_token {

constexpr std::string_view kVersion = "meta.k8s.io/v1";

Status refuse(std::string_view why) {
  return {Reason::kBadRequest,
          "invalid continue token: continue key is not valid: " + std::string(why)};
}

// Of a text that is not base64: as Go counts.
size_t first_wrong_byte(std::string_view text) {
  const auto is_digit = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_';
  };
  const auto wrong = std::ranges::find_if_not(text, is_digit);
  // Nothing foreign: a digit too many.
  if (wrong == text.end() && !text.empty()) return text.size() - 1;
  return static_cast<size_t>(wrong - text.begin());
}

// A key that could lie elsewhere is refused, though it is appended to the resource's prefix.
bool is_clean(std::string_view start) {
  if (start.starts_with('/')) start.remove_prefix(1);
  return std::ranges::none_of(split(start, '/'), [](std::string_view part) {
    return part.empty() || part == "." || part == "..";
  });
}

}  // namespace continue_token

std::string ContinueToken::encode() const {
  std::string text =
      R"({"v":"meta.k8s.io/v1","rv":)" + std::to_string(revision.value) + R"(,"start":)";
  json::print_string_to(text, start);
  text += "}";
  return to_base64_url(text);
}

Result<ContinueToken> ContinueToken::decode(std::string_view text) {
  const std::optional<std::string> decoded = from_base64_url(text);
  if (!decoded) {
    return continue_token::refuse("illegal base64 data at input byte " +
                                  std::to_string(continue_token::first_wrong_byte(text)));
  }
  constexpr size_t kMaxBytes = 4096;  // longer than any key
  const Result<json::Document> parsed = json::parse(*decoded, {.max_size = kMaxBytes});
  if (!parsed) {
    const std::string words = json::go_syntax_error(*decoded);
    return continue_token::refuse(words.empty() ? "it is not a token" : words);
  }
  const api::View token = parsed->root();
  const std::string version(token["v"].text());
  if (version != continue_token::kVersion) {
    return continue_token::refuse("server does not recognize this encoded version " + version);
  }
  const int64_t revision = token["rv"].integer();
  if (revision == 0) {
    return continue_token::refuse(
        "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  }
  const std::string start(token["start"].text());
  if (start.empty()) {
    return continue_token::refuse("encoded start key empty (version meta.k8s.io/v1)");
  }
  if (!continue_token::is_clean(start)) return continue_token::refuse(start);
  return ContinueToken{.revision = {revision}, .start = start};
}

}  // namespace proa::apiserver
