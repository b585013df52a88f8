#include "apiserver/access/authn/jwt/configuration.h"

#include <array>

#include "api/validation/configuration.h"
#include "api/validation/go_text.h"
#include "apiserver/access/authn/jwt/configuration_rules.h"
#include "apiserver/access/authn/jwt/json_web_keys.h"

namespace proa::apiserver {
namespace jwt_configuration {

using api::View;

// The kind in the language of schema/. It is only read from a file, not part of the API.
constexpr std::string_view kSchema = R"(
group   apiserver.config.k8s.io/v1
package k8s.io.apiserver.config.v1
openapi io.k8s.apiserver.config.v1

kind AuthenticationConfiguration  json-only  unpublished  "Who is believed to know callers."
  - jwt        []JWTAuthenticator
  - anonymous  *AnonymousAuthConfig

type AnonymousAuthConfig  json-only  unpublished
  - enabled     bool
  - conditions  []AnonymousAuthCondition

type AnonymousAuthCondition  json-only  unpublished
  - path  string

type JWTAuthenticator  json-only  unpublished
  - issuer                Issuer
  - claimValidationRules  []ClaimValidationRule
  - claimMappings         ClaimMappings
  - userValidationRules   []UserValidationRule

type Issuer  json-only  unpublished
  - url                   string
  - discoveryURL          string
  - certificateAuthority  string
  - audiences             []string
  - audienceMatchPolicy   string
  - egressSelectorType    string

type ClaimValidationRule  json-only  unpublished
  - claim          string
  - requiredValue  string
  - expression     string
  - message        string

type ClaimMappings  json-only  unpublished
  - username  PrefixedClaimOrExpression
  - groups    PrefixedClaimOrExpression
  - uid       ClaimOrExpression
  - extra     []ExtraMapping

type PrefixedClaimOrExpression  json-only  unpublished
  - claim       string
  - prefix      *string
  - expression  string

type ClaimOrExpression  json-only  unpublished
  - claim       string
  - expression  string

type ExtraMapping  json-only  unpublished
  - key              string
  - valueExpression  string

type UserValidationRule  json-only  unpublished
  - expression  string
  - message     string
)";

// All versions have the same fields.
constexpr std::array<std::string_view, 3> kVersions = {"apiserver.config.k8s.io/v1",
                                                       "apiserver.config.k8s.io/v1beta1",
                                                       "apiserver.config.k8s.io/v1alpha1"};

constexpr api::ConfigurationKind kConfiguration{.kind = "AuthenticationConfiguration",
                                                .versions = kVersions};

const api::Schema& schema() {
  static const api::Schema kParsed = api::configuration_schema(kSchema);
  return kParsed;
}

Status invalid(std::string why) { return {Reason::kInvalid, std::move(why)}; }

ClaimMapping mapping_of(View mapping) {
  ClaimMapping read{.claim = std::string(mapping["claim"].text()),
                    .prefix = std::string(mapping["prefix"].text())};
  const std::string_view expression = mapping["expression"].text();
  if (!expression.empty()) {
    read.expression = cel::compile_claims_expression(expression, cel::IdentityResult::kAny);
  }
  return read;
}

void read_claim_rules(View rules, JwtIssuer& issuer) {
  for (const View rule : rules.items()) {
    const std::string_view expression = rule["expression"].text();
    if (expression.empty()) {
      issuer.required_claims.push_back({.claim = std::string(rule["claim"].text()),
                                        .value = std::string(rule["requiredValue"].text())});
    } else {
      issuer.claim_rules.push_back(
          {.expression = cel::compile_claims_expression(expression, cel::IdentityResult::kBool),
           .message = std::string(rule["message"].text())});
    }
  }
}

JwtIssuer issuer_of(View written) {
  const View issuer = written["issuer"];
  const View mappings = written["claimMappings"];
  JwtIssuer read{.url = std::string(issuer["url"].text()),
                 .discovery_url = std::string(issuer["discoveryURL"].text()),
                 .certificate_authority = std::string(issuer["certificateAuthority"].text()),
                 .audiences = {},
                 .required_claims = {},
                 .username = mapping_of(mappings["username"]),
                 .groups = mapping_of(mappings["groups"]),
                 .uid = mapping_of(mappings["uid"])};
  for (const View audience : issuer["audiences"].items()) {
    read.audiences.emplace_back(audience.text());
  }
  read_claim_rules(written["claimValidationRules"], read);
  for (const View extra : mappings["extra"].items()) {
    const std::string_view value = extra["valueExpression"].text();
    read.extra.push_back(
        {.key = std::string(extra["key"].text()),
         .value = cel::compile_claims_expression(value, cel::IdentityResult::kAny)});
  }
  for (const View rule : written["userValidationRules"].items()) {
    read.user_rules.push_back(
        {.expression = cel::compile_user_expression(rule["expression"].text()),
         .message = std::string(rule["message"].text())});
  }
  for (const std::string_view name : crypto::algorithm_names()) read.algorithms.emplace_back(name);
  return read;
}

AnonymousOptions anonymous_of(View written) {
  if (!written["enabled"].flag()) return {.scope = AnonymousScope::kNowhere};
  AnonymousOptions read{.scope = AnonymousScope::kEverywhere};
  for (const View condition : written["conditions"].items()) {
    read.scope = AnonymousScope::kPaths;
    read.paths.emplace_back(condition["path"].text());
  }
  return read;
}

}  // namespace jwt_configuration

std::string JwtIssuer::discovery_document() const {
  if (!discovery_url.empty()) return discovery_url;
  const std::string base = url.ends_with('/') ? url.substr(0, url.size() - 1) : url;
  return base + "/.well-known/openid-configuration";
}

Result<AuthenticationConfiguration> read_authentication_configuration(
    const json::Document& document, std::span<const std::string> own_issuers) {
  const api::View written = document.root();
  api::FieldErrors errors;
  validate_authentication_configuration(written, own_issuers, errors);
  if (!errors.empty()) {
    return jwt_configuration::invalid("invalid authentication configuration: " +
                                      api::aggregate_text(errors.texts()));
  }
  AuthenticationConfiguration read;
  for (const api::View issuer : written["jwt"].items()) {
    read.issuers.push_back(jwt_configuration::issuer_of(issuer));
  }
  const api::View anonymous = written["anonymous"];
  if (anonymous.exists()) read.anonymous = jwt_configuration::anonymous_of(anonymous);
  return read;
}

Result<AuthenticationConfiguration> read_authentication_configuration(
    std::string_view text, std::span<const std::string> own_issuers) {
  if (text.empty()) return jwt_configuration::invalid("empty config data");
  const json::Document document = TRY(api::read_configuration(text, jwt_configuration::schema(),
                                                              jwt_configuration::kConfiguration));
  return read_authentication_configuration(document, own_issuers);
}

}  // namespace proa::apiserver
