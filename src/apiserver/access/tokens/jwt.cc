#include "apiserver/access/tokens/jwt.h"

#include "api/object/edit.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace jwt {

using api::View;

// Our tokens have about 1 kB.
constexpr size_t kMaxBytes = 16 * 1024;

Status refused(std::string_view why) {
  return {Reason::kUnauthorized, "invalid bearer token: " + std::string(why)};
}

Result<json::Document> read_part(std::string_view part) {
  const std::optional<std::string> text = from_base64_url(part);
  if (!text) return refused("it is not in base64");
  // Parsers disagree about duplicate keys, so they are rejected.
  std::vector<std::string> duplicates;
  Result<json::Document> document =
      json::parse(*text, {.max_size = kMaxBytes, .max_depth = 16, .duplicates = &duplicates});
  if (!document || !document->root().is(json::Kind::kObject) || !duplicates.empty()) {
    return refused("it is not JSON");
  }
  return document;
}

bool is_meant(const TokenKey& key, std::string_view key_id, std::string_view algorithm) {
  return (key_id.empty() || key_id == key.id()) && algorithm == key.algorithm();
}

}  // namespace jwt

std::optional<std::string_view> key_id_of(api::View header) {
  const api::View id = header["kid"];
  if (!id) return std::string_view();
  return id.is(json::Kind::kString) ? std::optional(id.text()) : std::nullopt;
}

bool asks_for_extensions(api::View header) {
  const api::View names = header["crit"];
  return names && !(names.is(json::Kind::kArray) && names.size() == 0);
}

Result<std::string> sign_jwt(const json::Value& claims, const TokenKey& key) {
  json::Document header({}, json::Value::object());
  const api::Edit edit(header);
  edit.set("alg", key.algorithm());
  edit.set("kid", key.id());
  std::string token =
      to_base64_url(json::print(header.root())) + "." + to_base64_url(json::print(claims));
  const std::string signature = TRY(key.sign(token));
  return token + "." + to_base64_url(signature);
}

Result<json::Document> verify_jwt(std::string_view token,
                                  std::span<const std::unique_ptr<const TokenKey>> keys) {
  if (token.size() > jwt::kMaxBytes) return jwt::refused("it is too long");
  const std::vector<std::string_view> parts = split(token, '.');
  if (parts.size() != 3) return jwt::refused("it has not three parts");
  const json::Document header = TRY(jwt::read_part(parts[0]));
  const api::View fields = header.root();
  if (asks_for_extensions(fields)) return jwt::refused("it asks for extensions");
  const std::optional<std::string_view> key_id = key_id_of(fields);
  if (!key_id) return jwt::refused("its key ID is no text");
  const std::optional<std::string> signature = from_base64_url(parts[2]);
  if (!signature) return jwt::refused("its signature is not in base64");
  const std::string_view signed_text = token.substr(0, parts[0].size() + 1 + parts[1].size());
  for (const std::unique_ptr<const TokenKey>& key : keys) {
    if (!jwt::is_meant(*key, *key_id, fields["alg"].text())) continue;
    if (key->verify(signed_text, *signature)) return jwt::read_part(parts[1]);
  }
  return jwt::refused("its signature is not one of ours");
}

}  // namespace proa::apiserver
