#include "apiserver/access/authn/jwt/configuration_rules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "api/validation/names.h"
#include "base/strings.h"
#include "cel/access/identity.h"
#include "http/net/tls.h"
#include "http/wire/url.h"
#include "kinds/checks/expressions.h"

namespace proa::apiserver {
namespace configuration_rules {

using api::FieldErrors;
using api::Path;
using api::View;
using Seen = std::set<std::string, std::less<>>;

constexpr size_t kMaxIssuers = 64;
constexpr std::string_view kMatchAny = "MatchAny";

// Returns whether it was already present.
bool insert(Seen& seen, std::string_view text) { return !seen.emplace(text).second; }

std::string_view without_slashes(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

std::string sorted_list(std::span<const std::string> texts) {
  std::vector<std::string> sorted(texts.begin(), texts.end());
  std::sort(sorted.begin(), sorted.end());
  return "[" + join(sorted, " ") + "]";
}

// The part between the scheme and the path.
std::string_view authority_of(std::string_view url) {
  const size_t begin = url.find("://");
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = url.substr(begin + 3);
  return rest.substr(0, rest.find_first_of("/?#"));
}

void validate_url(std::string_view url, const Path& path, FieldErrors& errors) {
  const size_t before = errors.size();
  const size_t fragment = url.find('#');
  const std::string_view plain = url.substr(0, fragment);
  const size_t query = plain.find('?');
  if (to_lower(url.substr(0, url.find(':'))) != "https" || authority_of(url).empty()) {
    errors.invalid(path, url, "URL scheme must be https");
  }
  if (authority_of(url).find('@') != std::string_view::npos) {
    errors.invalid(path, url, "URL must not contain a username or password");
  }
  if (query != std::string_view::npos && query + 1 < plain.size()) {
    errors.invalid(path, url, "URL must not contain a query");
  }
  if (fragment != std::string_view::npos && fragment + 1 < url.size()) {
    errors.invalid(path, url, "URL must not contain a fragment");
  }
  if (errors.size() != before) return;
  if (const auto parsed = http::parse_url(url); !parsed.ok()) {
    errors.invalid(path, url, parsed.status().message());
  }
}

void validate_audiences(View issuer, const Path& path, FieldErrors& errors) {
  const View audiences = issuer["audiences"];
  const Path list = path.field("audiences");
  if (audiences.empty()) {
    return errors.required(list, "at least one " + list.str() + " is required");
  }
  Seen seen;
  for (size_t i = 0; i < audiences.size(); ++i) {
    const Path item = list.index(i);
    const std::string_view audience = audiences.item(i).text();
    if (audience.empty()) errors.required(item);
    if (insert(seen, audience)) errors.duplicate(item, audience);
  }
  const Path policy_path = path.field("audienceMatchPolicy");
  const std::string_view policy = issuer["audienceMatchPolicy"].text();
  if (policy == kMatchAny) return;
  if (audiences.size() > 1) {
    errors.invalid(policy_path, policy,
                   "audienceMatchPolicy must be MatchAny for multiple audiences");
  } else if (!policy.empty()) {
    errors.invalid(policy_path, policy,
                   "audienceMatchPolicy must be empty or MatchAny for single audience");
  }
}

void validate_issuer(View issuer, std::span<const std::string> own_issuers, const Path& path,
                     FieldErrors& errors) {
  const Path url_path = path.field("url");
  const std::string_view url = issuer["url"].text();
  if (url.empty()) {
    errors.required(url_path);
  } else {
    if (std::find(own_issuers.begin(), own_issuers.end(), url) != own_issuers.end()) {
      errors.invalid(url_path, url,
                     "URL must not overlap with disallowed issuers: " + sorted_list(own_issuers));
    }
    validate_url(url, url_path, errors);
  }
  const Path discovery_path = path.field("discoveryURL");
  const std::string_view discovery = issuer["discoveryURL"].text();
  if (!discovery.empty()) {
    if (!url.empty() && without_slashes(url) == without_slashes(discovery)) {
      errors.invalid(discovery_path, discovery, "discoveryURL must be different from URL");
    }
    validate_url(discovery, discovery_path, errors);
  }
  validate_audiences(issuer, path, errors);
  const std::string authority(issuer["certificateAuthority"].text());
  if (!authority.empty() && !http::TlsContext::client({.roots_pem = authority}).ok()) {
    errors.invalid(path.field("certificateAuthority"), "<omitted>",
                   "data does not contain any valid RSA or ECDSA certificates");
  }
  const Path egress = path.field("egressSelectorType");
  const std::string_view selector = issuer["egressSelectorType"].text();
  if (!selector.empty()) {
    errors.invalid(egress, selector, "egress selectors are not supported by this server");
  }
}

// Expressions of one issuer, as far as they were accepted.
struct UsedClaims {
  bool email = false;  // by the user name
  bool email_verified = false;
};

// Null if the expression is refused.
std::optional<cel::IdentityExpression> compile(std::string_view expression,
                                               cel::IdentityResult result, const Path& path,
                                               FieldErrors& errors) {
  cel::IdentityExpression compiled = cel::compile_claims_expression(expression, result);
  if (compiled.error.empty()) return compiled;
  kinds::report_expression(compiled, expression, path, errors);
  return std::nullopt;
}

void validate_claim_expression(View rule, Seen& seen, UsedClaims& used, const Path& item,
                               FieldErrors& errors) {
  const Path path = item.field("expression");
  const std::string_view expression = rule["expression"].text();
  if (!rule["requiredValue"].text().empty()) {
    errors.invalid(item.field("requiredValue"), rule["requiredValue"],
                   "may not be specified when expression is set");
  }
  if (insert(seen, expression)) return errors.duplicate(path, expression);
  const auto compiled = compile(expression, cel::IdentityResult::kBool, path, errors);
  if (compiled && compiled->uses_email_verified) used.email_verified = true;
}

void validate_claim_rules(View rules, UsedClaims& used, const Path& path, FieldErrors& errors) {
  Seen claims;
  Seen expressions;
  for (size_t i = 0; i < rules.size(); ++i) {
    const Path item = path.index(i);
    const View rule = rules.item(i);
    const std::string_view claim = rule["claim"].text();
    const std::string_view expression = rule["expression"].text();
    if (!claim.empty() && !expression.empty()) {
      errors.invalid(item, claim, "claim and expression can't both be set");
    } else if (claim.empty() && expression.empty()) {
      errors.required(item, "claim or expression is required");
    } else if (!expression.empty()) {
      validate_claim_expression(rule, expressions, used, item, errors);
    } else {
      if (!rule["message"].text().empty()) {
        errors.invalid(item.field("message"), rule["message"],
                       "may not be specified when claim is set");
      }
      if (insert(claims, claim)) errors.duplicate(item.field("claim"), claim);
    }
  }
}

enum class Need : uint8_t { kRequired, kOptional };

// The expression, if there is one and nothing is wrong with the mapping.
std::optional<cel::IdentityExpression> validate_mapping(View mapping, Need need, const Path& path,
                                                        FieldErrors& errors) {
  const std::string_view claim = mapping["claim"].text();
  const std::string_view expression = mapping["expression"].text();
  if (!claim.empty() && !expression.empty()) {
    errors.invalid(path, "", "claim and expression can't both be set");
  } else if (!expression.empty()) {
    const bool has_prefix = mapping["prefix"].exists();
    if (has_prefix) {
      errors.invalid(path.field("prefix"), mapping["prefix"].text(),
                     "may not be specified when expression is set");
    }
    auto compiled =
        compile(expression, cel::IdentityResult::kAny, path.field("expression"), errors);
    if (!has_prefix) return compiled;
  } else if (claim.empty()) {
    if (need == Need::kRequired) errors.required(path, "claim or expression is required");
  } else if (!mapping["prefix"].exists()) {
    errors.required(path.field("prefix"),
                    "prefix is required when claim is set. It can be set to an empty string to "
                    "disable prefixing");
  }
  return std::nullopt;
}

bool is_kubernetes_domain(std::string_view key) {
  const auto parts = split_once(key, '/');
  if (!parts) return false;
  const std::string_view domain = parts->before;
  return domain == "kubernetes.io" || domain.ends_with(".kubernetes.io") || domain == "k8s.io" ||
         domain.ends_with(".k8s.io");
}

// Messages show the part that is wrong.
void validate_prefixed_path(std::string_view key, const Path& path, FieldErrors& errors) {
  if (key.empty()) return errors.required(path);
  const auto parts = split_once(key, '/');
  if (!parts || parts->before.empty() || parts->after.empty()) {
    return errors.invalid_each(path, key, api::check_domain_prefixed_path(key));
  }
  errors.invalid_each(path, parts->before, api::check_dns1123_subdomain(parts->before));
  const std::string rest(parts->after);
  errors.invalid_each(path, rest, api::check_domain_prefixed_path("a/" + rest));
}

void validate_extra(View extra, Seen& keys, UsedClaims& used, const Path& path,
                    FieldErrors& errors) {
  const Path key_path = path.field("key");
  const std::string_view key = extra["key"].text();
  validate_prefixed_path(key, key_path, errors);
  if (key != to_lower(key)) errors.invalid(key_path, key, "must be lowercase");
  if (is_kubernetes_domain(key)) {
    errors.invalid(key_path, key,
                   "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use");
  }
  if (insert(keys, key)) return errors.duplicate(key_path, key);
  const Path value_path = path.field("valueExpression");
  const std::string_view value = extra["valueExpression"].text();
  if (value.empty()) return errors.required(value_path);
  const auto compiled = compile(value, cel::IdentityResult::kAny, value_path, errors);
  if (compiled && compiled->uses_email_verified) used.email_verified = true;
}

void validate_mappings(View mappings, UsedClaims& used, const Path& path, FieldErrors& errors) {
  const View username = mappings["username"];
  const Path username_path = path.field("username");
  if (const auto name = validate_mapping(username, Need::kRequired, username_path, errors)) {
    used.email = name->uses_email;
    used.email_verified = used.email_verified || name->uses_email_verified;
  }
  validate_mapping(mappings["groups"], Need::kOptional, path.field("groups"), errors);
  const View uid = mappings["uid"];
  const Path uid_path = path.field("uid");
  const std::string_view uid_expression = uid["expression"].text();
  if (!uid_expression.empty()) {
    if (uid["claim"].text().empty()) {
      compile(uid_expression, cel::IdentityResult::kAny, uid_path.field("expression"), errors);
    } else {
      errors.invalid(uid_path, "", "claim and expression can't both be set");
    }
  }
  const View extra = mappings["extra"];
  const Path extra_path = path.field("extra");
  Seen keys;
  for (size_t i = 0; i < extra.size(); ++i) {
    validate_extra(extra.item(i), keys, used, extra_path.index(i), errors);
  }
  if (used.email && !used.email_verified) {
    errors.invalid(username_path.field("expression"), username["expression"].text(),
                   "claims.email_verified must be used in claimMappings.username.expression or "
                   "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression "
                   "when claims.email is used in claimMappings.username.expression");
  }
}

void validate_user_rules(View rules, const Path& path, FieldErrors& errors) {
  Seen seen;
  for (size_t i = 0; i < rules.size(); ++i) {
    const Path item = path.index(i);
    const Path expression_path = item.field("expression");
    const std::string_view expression = rules.item(i)["expression"].text();
    if (expression.empty()) {
      errors.required(expression_path);
    } else if (insert(seen, expression)) {
      errors.duplicate(expression_path, expression);
    } else {
      kinds::report_expression(cel::compile_user_expression(expression), expression,
                               expression_path, errors);
    }
  }
}

void validate_anonymous(View anonymous, FieldErrors& errors) {
  const Path path("anonymous");
  const View conditions = anonymous["conditions"];
  if (!anonymous["enabled"].flag() && !conditions.empty()) {
    errors.invalid(path.field("conditions"), conditions,
                   "enabled should be set to true when conditions are defined");
  }
}

}  // namespace configuration_rules

void validate_authentication_configuration(api::View configuration,
                                           std::span<const std::string> own_issuers,
                                           api::FieldErrors& errors) {
  using namespace configuration_rules;
  const View issuers = configuration["jwt"];
  const Path root("jwt");
  if (issuers.size() > kMaxIssuers) return errors.too_many(root, issuers.size(), kMaxIssuers);
  Seen urls;
  Seen discovery_urls;
  for (size_t i = 0; i < issuers.size(); ++i) {
    const Path path = root.index(i);
    const View written = issuers.item(i);
    const Path issuer = path.field("issuer");
    validate_issuer(written["issuer"], own_issuers, issuer, errors);
    UsedClaims used;
    validate_claim_rules(written["claimValidationRules"], used, path.field("claimValidationRules"),
                         errors);
    validate_mappings(written["claimMappings"], used, path.field("claimMappings"), errors);
    validate_user_rules(written["userValidationRules"], path.field("userValidationRules"), errors);
    const std::string_view url = written["issuer"]["url"].text();
    if (insert(urls, url)) errors.duplicate(issuer.field("url"), url);
    const std::string_view discovery = written["issuer"]["discoveryURL"].text();
    if (!discovery.empty() && insert(discovery_urls, discovery)) {
      errors.duplicate(issuer.field("discoveryURL"), discovery);
    }
  }
  validate_anonymous(configuration["anonymous"], errors);
}

}  // namespace proa::apiserver
