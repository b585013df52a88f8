#include "apiserver/access/authn/jwt/signed_token.h"

#include <algorithm>
#include <vector>

#include "api/object/view.h"
#include "apiserver/access/tokens/jwt.h"
#include "base/encoding.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace signed_token {

using api::View;

// Some issuers include hundreds of groups; request headers are limited anyway.
constexpr size_t kMaxBytes = 64 * 1024;
constexpr size_t kMaxDepth = 64;
// Algorithm names have five characters; error messages repeat them.
constexpr size_t kMaxAlgorithmBytes = 16;
// Google uses two issuer names, see OpenID Connect Core section 15.6.2.
constexpr std::string_view kGoogle = "https://accounts.google.com";
constexpr std::string_view kGoogleWithoutScheme = "accounts.google.com";

struct Parts {
  std::string_view header;
  std::string_view claims;
  std::string_view signature;
  std::string_view signed_text;
};

std::optional<Parts> split_token(std::string_view token) {
  if (token.size() > kMaxBytes || std::count(token.begin(), token.end(), '.') != 2) {
    return std::nullopt;
  }
  const size_t first = token.find('.');
  const size_t second = token.find('.', first + 1);
  return Parts{.header = token.substr(0, first),
               .claims = token.substr(first + 1, second - first - 1),
               .signature = token.substr(second + 1),
               .signed_text = token.substr(0, second)};
}

std::optional<json::Document> read_part(std::string_view part) {
  const std::optional<std::string> text = from_base64_url(part);
  if (!text) return std::nullopt;
  // Parsers disagree about duplicate keys, so they are rejected.
  std::vector<std::string> duplicates;
  Result<json::Document> document = json::parse(
      *text, {.max_size = kMaxBytes, .max_depth = kMaxDepth, .duplicates = &duplicates});
  if (!document || !document->root().is(json::Kind::kObject) || !duplicates.empty()) {
    return std::nullopt;
  }
  return std::move(*document);
}

Status malformed(std::string_view why) {
  return {Reason::kUnauthorized, "oidc: malformed jwt: " + std::string(why)};
}

bool is_absent_or_text(View value) {
  return value.value() == nullptr || value.is(json::Kind::kString);
}

}  // namespace signed_token

std::optional<UntrustedToken> read_untrusted(std::string_view token) {
  const std::optional<signed_token::Parts> parts = signed_token::split_token(token);
  if (!parts) return std::nullopt;
  std::optional<json::Document> claims = signed_token::read_part(parts->claims);
  if (!claims) return std::nullopt;
  std::string issuer(api::View(claims->root())["iss"].text());
  if (issuer == signed_token::kGoogleWithoutScheme) issuer = signed_token::kGoogle;
  return UntrustedToken{std::move(*claims), std::move(issuer)};
}

Result<TokenSignature> read_signature(std::string_view token) {
  using namespace signed_token;
  const std::optional<Parts> parts = split_token(token);
  CHECK(parts.has_value());
  const std::optional<json::Document> header = read_part(parts->header);
  if (!header) return malformed("its header is not JSON in base64");
  const View fields = header->root();
  const std::optional<std::string_view> key_id = key_id_of(fields);
  if (!is_absent_or_text(fields["alg"]) || !key_id) {
    return malformed("its header has fields of another type");
  }
  if (fields["alg"].text().size() > kMaxAlgorithmBytes) return malformed("its algorithm is none");
  if (asks_for_extensions(fields)) return malformed("it asks for extensions");
  std::optional<std::string> bytes = from_base64_url(parts->signature);
  if (!bytes) return malformed("its signature is not in base64");
  return TokenSignature{.algorithm = std::string(fields["alg"].text()),
                        .key_id = std::string(*key_id),
                        .text = parts->signed_text,
                        .bytes = std::move(*bytes)};
}

}  // namespace proa::apiserver
