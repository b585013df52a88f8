#include "apiserver/front/paths/issuer.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>

#include <algorithm>
#include <set>

#include "api/object/edit.h"
#include "apiserver/representation/status.h"
#include "apiserver/request/failures.h"
#include "base/check.h"
#include "base/encoding.h"
#include "http/net/openssl.h"
#include "json/print.h"

namespace proa::apiserver {
namespace issuer {

using api::Edit;
using http::openssl::Freed;
using http::openssl::KeyPointer;
using NumberPointer = std::unique_ptr<BIGNUM, Freed<BN_free>>;

constexpr std::string_view kConfigurationPath = "/.well-known/openid-configuration";
constexpr std::string_view kKeysPath = "/openid/v1/jwks";

NumberPointer number_in(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  CHECK(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  return NumberPointer(number);
}

// Big-endian. `size`: padded to so many bytes; zero: as few as there must be.
std::string bytes_of(const BIGNUM* number, int size = 0) {
  if (size == 0) size = BN_num_bytes(number);
  std::string bytes(static_cast<size_t>(size), '\0');
  CHECK(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), size) == size);
  return to_base64_url(bytes);
}

struct Curve {
  std::string_view algorithm;
  std::string_view name;
  int bytes;  // of a coordinate
};
constexpr Curve kCurves[] = {
    {"ES256", "P-256", 32}, {"ES384", "P-384", 48}, {"ES512", "P-521", 66}};

// RFC 7517, in the order of upstream's members.
void put_key(Edit place, const TokenKey& key) {
  const std::string pem = key.public_key();
  const http::openssl::BioPointer text = http::openssl::reading(pem);
  const KeyPointer parsed(PEM_read_bio_PUBKEY(text.get(), nullptr, nullptr, nullptr));
  CHECK(parsed != nullptr);
  const auto* curve = std::find_if(std::begin(kCurves), std::end(kCurves), [&](const Curve& one) {
    return one.algorithm == key.algorithm();
  });
  const bool is_curve = curve != std::end(kCurves);
  place.set("use", "sig");
  place.set("kty", is_curve ? "EC" : "RSA");
  place.set("kid", key.id());
  if (is_curve) place.set("crv", curve->name);
  place.set("alg", key.algorithm());
  const auto put = [&](std::string_view name, const char* parameter) {
    place.set(name,
              bytes_of(number_in(parsed.get(), parameter).get(), is_curve ? curve->bytes : 0));
  };
  if (is_curve) {
    put("x", OSSL_PKEY_PARAM_EC_PUB_X);
    put("y", OSSL_PKEY_PARAM_EC_PUB_Y);
  } else {
    put("n", OSSL_PKEY_PARAM_RSA_N);
    put("e", OSSL_PKEY_PARAM_RSA_E);
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
                  "the issuer of service account tokens is no https URL, or has a query");
  }
  const std::string keys_url = options.keys_url.empty()
                                   ? "https://" + options.server_address + std::string(kKeysPath)
                                   : options.keys_url;
  if (!is_secure(keys_url)) {
    return Status(Reason::kInvalid,
                  "the place of the keys of service account tokens is no https URL");
  }
  return std::unique_ptr<IssuerPaths>(
      new IssuerPaths(configuration_document(tokens, keys_url), keys_document(tokens)));
}

std::optional<http::Response> IssuerPaths::answer(const http::RequestHead& head,
                                                  const http::Target& target) {
  const std::string path = path_of(target);
  const bool wants_keys = path == issuer::kKeysPath;
  if (!wants_keys && path != issuer::kConfigurationPath) return std::nullopt;
  if (head.method != "GET" && head.method != "HEAD") {
    return status_response(method_not_allowed());
  }
  http::Response response = json_response(200, wants_keys ? keys_ : configuration_);
  if (wants_keys) response.headers.set("content-type", "application/jwk-set+json");
  response.headers.set("cache-control", "public, max-age=3600");
  return response;
}

}  // namespace proa::apiserver
