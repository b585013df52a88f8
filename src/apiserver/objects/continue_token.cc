#include "apiserver/objects/continue_token.h"

#include "api/object/view.h"
#include "base/encoding.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace continue_token {

constexpr std::string_view kVersion = "meta.k8s.io/v1";

Status refuse(std::string_view why) {
  return {Reason::kBadRequest, "continue key is not valid: " + std::string(why)};
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
  if (!decoded) return continue_token::refuse("it is not base64");
  constexpr size_t kMaxBytes = 4096;  // longer than any key
  const Result<json::Document> parsed = json::parse(*decoded, {.max_size = kMaxBytes});
  if (!parsed) return continue_token::refuse("it is not JSON");
  const api::View token = parsed->root();
  if (token["v"].text() != continue_token::kVersion) {
    return continue_token::refuse("server does not recognize this encoded version");
  }
  const int64_t revision = token["rv"].integer();
  if (revision == 0) return continue_token::refuse("incorrect encoded start resourceVersion");
  const std::string start(token["start"].text());
  if (start.empty()) return continue_token::refuse("encoded start key empty");
  // Safe for any value: it is appended to the resource's prefix.
  return ContinueToken{.revision = {revision}, .start = start};
}

}  // namespace proa::apiserver
