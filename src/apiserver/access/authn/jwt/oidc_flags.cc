#include "apiserver/access/authn/jwt/oidc_flags.h"

#include <algorithm>

#include "api/object/edit.h"
#include "api/validation/go_text.h"
#include "apiserver/access/authn/jwt/json_web_keys.h"

namespace proa::apiserver {
namespace oidc_flags {

using api::Edit;

Status invalid(std::string why) { return {Reason::kInvalid, std::move(why)}; }

// The issuer as prefix separates users of different issuers; e-mail addresses are already unique.
std::string username_prefix(const OidcFlags& flags) {
  if (flags.username_prefix == "-") return "";
  if (flags.username_prefix.empty() && flags.username_claim != "email") {
    return flags.issuer_url + "#";
  }
  return flags.username_prefix;
}

void put(Edit mapping, std::string_view claim, std::string_view prefix) {
  mapping.set("claim", claim);
  mapping.set("prefix", prefix);
}

json::Document document_of(const OidcFlags& flags) {
  json::Document document({}, json::Value::object());
  const Edit jwt = Edit(document).array("jwt").push_object();
  const Edit issuer = jwt.object("issuer");
  issuer.set("url", flags.issuer_url);
  if (!flags.ca_pem.empty()) issuer.set("certificateAuthority", flags.ca_pem);
  issuer.array("audiences").push(json::Value::string(document.arena(), flags.client_id));
  const Edit mappings = jwt.object("claimMappings");
  put(mappings.object("username"), flags.username_claim, username_prefix(flags));
  if (!flags.groups_claim.empty()) {
    put(mappings.object("groups"), flags.groups_claim, flags.groups_prefix);
  }
  for (const auto& [claim, value] : flags.required_claims) {
    const Edit rule = jwt.array("claimValidationRules").push_object();
    rule.set("claim", claim);
    rule.set("requiredValue", value);
  }
  return document;
}

}  // namespace oidc_flags

Result<AuthenticationConfiguration> configuration_of(const OidcFlags& flags,
                                                     std::span<const std::string> own_issuers) {
  if (flags.issuer_url.empty() || flags.client_id.empty()) {
    return oidc_flags::invalid(
        "oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are "
        "set");
  }
  const std::span<const std::string_view> known = crypto::algorithm_names();
  for (const std::string& name : flags.signing_algorithms) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return oidc_flags::invalid("oidc: unsupported signing alg: " + api::quoted(name));
    }
  }
  AuthenticationConfiguration configuration =
      TRY(read_authentication_configuration(oidc_flags::document_of(flags), own_issuers));
  configuration.issuers[0].algorithms = flags.signing_algorithms;
  // Every provider must support RS256.
  if (flags.signing_algorithms.empty()) configuration.issuers[0].algorithms = {"RS256"};
  return configuration;
}

}  // namespace proa::apiserver
