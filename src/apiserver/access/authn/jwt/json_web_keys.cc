#include "apiserver/access/authn/jwt/json_web_keys.h"

#include <algorithm>

#include "base/encoding.h"
#include "json/parse.h"

namespace proa::apiserver {
namespace json_web_keys {

using api::View;

// Bounds verification of a token that names no key: all are tried.
constexpr size_t kMaxKeys = 256;
constexpr size_t kMaxNumberBytes = 4096;

Status useless(std::string_view why) { return {Reason::kInvalid, std::string(why)}; }

// Decodes base64url; accepts padding, which some issuers write against the standard.
Result<std::string> number(View key, std::string_view name) {
  std::string_view text = key[name].text();
  while (text.ends_with('=')) text.remove_suffix(1);
  const std::optional<std::string> bytes = from_base64_url(text);
  if (!bytes || bytes->empty() || bytes->size() > kMaxNumberBytes) {
    return useless("it has no number " + std::string(name));
  }
  return *bytes;
}

Result<crypto::PublicKey> read_rsa(View written) {
  crypto::RsaNumbers numbers;
  numbers.modulus = TRY(number(written, "n"));
  numbers.exponent = TRY(number(written, "e"));
  return crypto::PublicKey::of(numbers);
}

Result<crypto::PublicKey> read_ecdsa(View written) {
  const auto curve = crypto::curve_named(written["crv"].text());
  if (!curve) return useless("its curve is none of P-256, P-384 and P-521");
  crypto::CurvePoint point{.curve = *curve};
  point.x = TRY(number(written, "x"));
  point.y = TRY(number(written, "y"));
  return crypto::PublicKey::of(point);
}

}  // namespace json_web_keys

Result<JsonWebKey> JsonWebKey::read(api::View written) {
  using namespace json_web_keys;
  if (written["d"].exists()) return useless("it is a private key, which anybody could have read");
  if (written["use"].text("sig") != "sig") return useless("it is not for signatures");
  const std::string_view type = written["kty"].text();
  if (type != "RSA" && type != "EC") return useless("it is neither RSA nor EC");
  crypto::PublicKey key = TRY(type == "RSA" ? read_rsa(written) : read_ecdsa(written));
  JsonWebKey read(std::move(key));
  read.id_ = written["kid"].text();
  if (const std::string_view name = written["alg"].text(); !name.empty()) {
    read.algorithm_ = crypto::algorithm_named(name);
    if (!read.algorithm_ || !crypto::fits(read.key_, *read.algorithm_)) {
      return useless("it is for an algorithm that it does not fit");
    }
  }
  return read;
}

bool JsonWebKey::verify(const TokenSignature& signature) const {
  const auto algorithm = crypto::algorithm_named(signature.algorithm);
  if (!algorithm || (algorithm_ && algorithm_ != algorithm)) return false;
  return crypto::verify(key_, *algorithm, signature.text, signature.bytes);
}

Result<JsonWebKeys> JsonWebKeys::parse(std::string_view document) {
  const json::Document parsed = TRY(json::parse(document));
  const api::View keys = api::View(parsed.root())["keys"];
  if (!keys.is(json::Kind::kArray)) return json_web_keys::useless("it has no list of keys");
  if (keys.size() > json_web_keys::kMaxKeys) return json_web_keys::useless("it has too many keys");
  JsonWebKeys read;
  for (const api::View written : keys.items()) {
    Result<JsonWebKey> key = JsonWebKey::read(written);
    if (key.ok()) read.keys_.push_back(std::move(*key));
  }
  return read;
}

bool JsonWebKeys::has(std::string_view id) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const JsonWebKey& key) { return key.id() == id; });
}

bool JsonWebKeys::verify(const TokenSignature& signature) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const JsonWebKey& key) {
    return (signature.key_id.empty() || key.id() == signature.key_id) && key.verify(signature);
  });
}

}  // namespace proa::apiserver
