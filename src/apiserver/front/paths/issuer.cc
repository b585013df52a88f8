#include "apiserver/front/paths/issuer.h"

#include <set>

#include "api/object/edit.h"
#include "apiserver/representation/media.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "base/check.h"
#include "base/encoding.h"
#include "crypto/key.h"
#include "json/print.h"

namespace proa::apiserver {
namespace issuer {

using api::Edit;

constexpr std::string_view kConfigurationPath = "/.well-known/openid-configuration";
constexpr std::string_view kKeysPath = "/openid/v1/jwks";

// RFC 7517, in the order of upstream's members.
void put_key(Edit place, const TokenKey& key) {
  const crypto::PublicKey& numbers = key.public_key();
  const bool is_rsa = numbers.is_rsa();
  place.set("use", "sig");
  place.set("kty", is_rsa ? "RSA" : "EC");
  place.set("kid", key.id());
  if (!is_rsa) place.set("crv", crypto::curve_name(*numbers.curve()));
  place.set("alg", key.algorithm());
  if (is_rsa) {
    const crypto::RsaNumbers rsa = numbers.rsa_numbers();
    place.set("n", to_base64_url(rsa.modulus));
    place.set("e", to_base64_url(rsa.exponent));
  } else {
    const crypto::CurvePoint point = numbers.curve_point();
    place.set("x", to_base64_url(point.x));
    place.set("y", to_base64_url(point.y));
  }
}

std::string keys_document(const ServiceAccountTokens& tokens) {
  json::Document document({}, json::Value::object());
  const Edit keys = Edit(document).array("keys");
  for (const std::unique_ptr<const TokenKey>& key : tokens.keys()) {
    put_key(keys.push_object(), *key);
  }
  return json::print(document.root());
}

std::string configuration_document(const ServiceAccountTokens& tokens,
                                   const std::string& keys_url) {
  json::Document document({}, json::Value::object());
  const Edit all(document);
  const auto put_list = [&](std::string_view name, const std::set<std::string>& texts) {
    const Edit list = all.array(name);
    for (const std::string& text : texts) {
      list.push(json::Value::string(document.arena(), text));
    }
  };
  std::set<std::string> algorithms;
  for (const std::unique_ptr<const TokenKey>& key : tokens.keys()) {
    algorithms.emplace(key->algorithm());
  }
  all.set("issuer", tokens.issuer());
  all.set("jwks_uri", keys_url);
  put_list("response_types_supported", {"id_token"});
  put_list("subject_types_supported", {"public"});
  put_list("id_token_signing_alg_values_supported", algorithms);
  return json::print(document.root());
}

bool is_secure(const std::string& text) {
  const Result<http::Url> url = http::parse_url(text);
  return url && url->has_tls();
}

}  // namespace issuer

Result<std::unique_ptr<IssuerPaths>> IssuerPaths::make(const ServiceAccountTokens& tokens,
                                                       const Options& options) {
  using namespace issuer;
  if (!is_secure(tokens.issuer()) || tokens.issuer().find_first_of("?#") != std::string::npos) {
    return Status(Reason::kInvalid,
                  "the service account issuer must be an https URL without query or fragment");
  }
  const std::string keys_url = options.keys_url.empty()
                                   ? "https://" + options.server_address + std::string(kKeysPath)
                                   : options.keys_url;
  if (!is_secure(keys_url)) {
    return Status(Reason::kInvalid, "the service account key URL must be an https URL");
  }
  return std::unique_ptr<IssuerPaths>(
      new IssuerPaths(configuration_document(tokens, keys_url), keys_document(tokens)));
}

std::optional<http::Response> IssuerPaths::answer(const http::RequestHead& head,
                                                  const http::Target& target) {
  const std::string path = path_of(target);
  const bool wants_keys = path == issuer::kKeysPath;
  if (!wants_keys && path != issuer::kConfigurationPath) return std::nullopt;
  if (head.method != "GET") return status_response(method_not_allowed());
  const std::string_view type = wants_keys ? "application/jwk-set+json" : "application/json";
  const Result<void> accepted = check_produced(head.headers.get("accept"), {&type, 1});
  if (!accepted) return status_response(accepted.status());
  http::Response response = json_response(200, wants_keys ? keys_ : configuration_);
  response.headers.set("content-type", type);
  response.headers.set("cache-control", "public, max-age=3600");
  return response;
}

}  // namespace proa::apiserver
