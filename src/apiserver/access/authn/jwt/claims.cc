#include "apiserver/access/authn/jwt/claims.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "api/validation/go_text.h"
#include "apiserver/access/authn/authenticator.h"
#include "cel/access/identity.h"
#include "cel/values/collections.h"

namespace proa::apiserver {
namespace claims_of_tokens {

using api::quoted;
using api::View;
using json::Kind;

constexpr Duration kLeeway = std::chrono::minutes(1);
// The seconds that fit into a Time; larger values are clamped.
constexpr double kMaxSeconds = 9'223'372'036.0;
constexpr std::string_view kGoogle = "https://accounts.google.com";
constexpr std::string_view kGoogleWithoutScheme = "accounts.google.com";

// The variable of expressions, made when the first one is evaluated.
class IdentityContext {
 public:
  explicit IdentityContext(std::function<cel::Value(cel::Arena&)> variable)
      : make_(std::move(variable)) {}

  Result<cel::Value> evaluate(const cel::IdentityExpression& expression) const {
    if (!variable_) variable_ = make_(arena_);
    return cel::evaluate_identity(expression, *variable_, arena_);
  }

 private:
  const std::function<cel::Value(cel::Arena&)> make_;
  mutable cel::Arena arena_;
  mutable std::optional<cel::Value> variable_;
};

Status refused(std::string why) { return {Reason::kUnauthorized, std::move(why)}; }

// The type names of encoding/json.
std::string_view kind_name(View value) {
  if (value.is(Kind::kBool)) return "bool";
  if (value.is(Kind::kString)) return "string";
  if (value.is(Kind::kArray)) return "array";
  if (value.is(Kind::kObject)) return "object";
  return value.exists() ? "number" : "null";
}

std::string cannot_read(View value, std::string_view as) {
  return "json: cannot unmarshal " + std::string(kind_name(value)) + " into Go value of type " +
         std::string(as);
}

// A claim that must be a string. `what` is for messages.
Result<std::string> text_claim(View claims, std::string_view name, const std::string& what) {
  const View claim = claims[name];
  if (claim.value() == nullptr) return refused(what + ": claim not present");
  if (!claim.is(Kind::kString)) return refused(what + ": " + cannot_read(claim, "string"));
  return std::string(claim.text());
}

bool all_texts(View list) {
  const auto items = list.items();
  return std::all_of(items.begin(), items.end(),
                     [](const json::Value& item) { return item.is(Kind::kString); });
}

// A list of strings, or a single string.
Result<std::vector<std::string>> texts_claim(View claim, const std::string& what) {
  std::vector<std::string> texts;
  if (claim.is(Kind::kString)) {
    texts.emplace_back(claim.text());
    return texts;
  }
  if (!claim.is(Kind::kArray) || !all_texts(claim)) {
    return refused(what + ": " + cannot_read(claim, "string"));
  }
  for (const View one : claim.items()) texts.emplace_back(one.text());
  return texts;
}

// Whole seconds, possibly written with a fraction.
Result<Time> time_claim(View claims, std::string_view name) {
  const View claim = claims[name];
  if (!claim.is(Kind::kInt) && !claim.is(Kind::kDouble)) {
    return refused("oidc: failed to unmarshal claims: " + std::string(name) + ": " +
                   cannot_read(claim, "json.Number"));
  }
  const double seconds = std::trunc(claim.value()->as_double());
  if (seconds >= kMaxSeconds) return Time::max();
  if (seconds <= -kMaxSeconds) return Time::min();
  return Time(std::chrono::seconds(static_cast<int64_t>(seconds)));
}

// "2026-01-02 15:04:05 +0000 UTC", as Go prints it.
std::string go_time(Time time) {
  std::string text = format_time(time);
  if (const size_t middle = text.find('T'); middle != std::string::npos) text[middle] = ' ';
  if (text.ends_with('Z')) text.pop_back();
  return text + " +0000 UTC";
}

// ["a" "b"], as Go's %q prints it.
std::string quoted_list(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + quoted(text);
  return "[" + all + "]";
}

Result<void> check_issuer(View claims, const JwtIssuer& issuer) {
  const std::string_view named = claims["iss"].text();
  if (named == issuer.url) return {};
  // Google issues tokens with either name.
  if (issuer.url == kGoogle && named == kGoogleWithoutScheme) return {};
  return refused("oidc: id token issued by a different provider, expected " + quoted(issuer.url) +
                 " got " + quoted(named));
}

Result<void> check_audience(View claims, const JwtIssuer& issuer) {
  std::vector<std::string> named;
  if (claims["aud"].value() != nullptr) {
    named = TRY(texts_claim(claims["aud"], "oidc: failed to unmarshal claims: aud"));
  }
  const std::vector<std::string>& wanted = issuer.audiences;
  if (std::find_first_of(named.begin(), named.end(), wanted.begin(), wanted.end()) != named.end()) {
    return {};
  }
  if (wanted.size() == 1) {
    return refused("oidc: expected audience " + quoted(wanted[0]) + " got " + quoted_list(named));
  }
  std::vector<std::string> sorted = wanted;
  std::sort(sorted.begin(), sorted.end());
  return refused("oidc: expected audience in " + quoted_list(sorted) + " got " +
                 quoted_list(named));
}

Result<Time> check_times(View claims, Time now) {
  if (claims["exp"].value() == nullptr) {
    return refused("oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)");
  }
  const Time expires = TRY(time_claim(claims, "exp"));
  if (claims["iat"].value() != nullptr) TRY(time_claim(claims, "iat"));
  if (expires < now) {
    return refused("oidc: token is expired (Token Expiry: " + go_time(expires) + ")");
  }
  if (!claims["nbf"].exists()) return expires;
  const Time begins = TRY(time_claim(claims, "nbf"));
  if (now + kLeeway < begins) {
    return refused("oidc: current time " + go_time(now) +
                   " before the nbf (not before) time: " + go_time(begins));
  }
  return expires;
}

// The value of an expression over the claims that must be a string. `what` is for messages.
Result<std::string> text_result(const IdentityContext& context, const ClaimMapping& mapping,
                                const std::string& what) {
  const std::string failed = "oidc: error evaluating " + what + " claim expression: ";
  const Result<cel::Value> value = context.evaluate(*mapping.expression);
  if (!value) return refused(failed + value.status().message());
  if (!value->is(cel::ValueKind::kString)) {
    return refused(failed + what + " claim expression must return a string");
  }
  return std::string(value->text());
}

// A string or a list of strings; what is empty or null is left out: upstream's
// convertCELValueToStringList().
Result<std::vector<std::string>> texts_of(const cel::Value& value) {
  const Status no_texts = refused("expression must return a string or a list of strings");
  std::vector<std::string> texts;
  if (value.is(cel::ValueKind::kNull)) return texts;
  if (value.is(cel::ValueKind::kString)) {
    if (!value.text().empty()) texts.emplace_back(value.text());
    return texts;
  }
  if (!value.is(cel::ValueKind::kList)) return no_texts;
  for (uint32_t i = 0; i < value.size(); ++i) {
    const cel::Value item = cel::list_item(value, i);
    if (!item.is(cel::ValueKind::kString)) return no_texts;
    if (!item.text().empty()) texts.emplace_back(item.text());
  }
  return texts;
}

Result<std::string> username_of(View claims, const ClaimMapping& mapping,
                                const IdentityContext& context) {
  if (mapping.expression) {
    std::string result = TRY(text_result(context, mapping, "username"));
    if (!result.empty()) return result;
    return refused("oidc: empty username via CEL expression is not allowed");
  }
  std::string name = TRY(
      text_claim(claims, mapping.claim, "oidc: parse username claims " + quoted(mapping.claim)));
  const View verified = claims["email_verified"];
  if (mapping.claim == "email" && verified.value() != nullptr) {
    if (verified.exists() && !verified.is(Kind::kBool)) {
      return refused("oidc: parse 'email_verified' claim: " + cannot_read(verified, "bool"));
    }
    if (!verified.flag()) return refused("oidc: email not verified");
  }
  return mapping.prefix + name;
}

// Whether the claim is distributed (OpenID Connect Core section 5.6.2); the user would be
// incomplete without it.
bool is_distributed(View claims, std::string_view name) {
  return claims["_claim_names"][name].exists();
}

Result<std::vector<std::string>> groups_of(View claims, const ClaimMapping& mapping,
                                           const IdentityContext& context) {
  std::vector<std::string> groups;
  if (mapping.expression) {
    const std::string failed = "oidc: error evaluating group claim expression: ";
    const Result<cel::Value> value = context.evaluate(*mapping.expression);
    if (!value) return refused(failed + value.status().message());
    auto texts = texts_of(*value);
    if (!texts) return refused(failed + texts.status().message());
    return texts;
  }
  if (mapping.claim.empty()) return groups;
  const View claim = claims[mapping.claim];
  if (claim.value() == nullptr && is_distributed(claims, mapping.claim)) {
    return refused(
        "oidc: could not expand distributed claims: they are not fetched from other servers");
  }
  if (!claim.exists()) return groups;
  groups = TRY(texts_claim(claim, "oidc: parse groups claim " + quoted(mapping.claim)));
  for (std::string& group : groups) group.insert(0, mapping.prefix);
  return groups;
}

Result<std::string> uid_of(View claims, const ClaimMapping& mapping,
                           const IdentityContext& context) {
  if (mapping.expression) return text_result(context, mapping, "uid");
  if (mapping.claim.empty()) return std::string();
  return text_claim(claims, mapping.claim, "oidc: parse uid claim " + quoted(mapping.claim));
}

Result<void> add_extra(const JwtIssuer& issuer, const IdentityContext& context, User& user) {
  for (const ExtraMapping& mapping : issuer.extra) {
    const cel::Value value = TRY(context.evaluate(mapping.value));
    auto texts = texts_of(value);
    if (!texts) {
      return refused("oidc: error evaluating extra claim expression: " + mapping.value.source +
                     ": " + texts.status().message());
    }
    if (!texts->empty()) user.extra.emplace_back(mapping.key, std::move(*texts));
  }
  return {};
}

// As upstream, all rules are evaluated before the first one is looked at.
Result<void> check_rules(std::span<const IdentityRule> rules, const IdentityContext& context,
                         const std::string& failed) {
  std::vector<cel::Value> results;
  for (const IdentityRule& rule : rules) {
    const Result<cel::Value> value = context.evaluate(rule.expression);
    if (!value) return refused(failed + value.status().message());
    results.push_back(*value);
  }
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!results[i].is(cel::ValueKind::kBool)) {
      return refused(failed + "validation expression must return a boolean");
    }
    if (results[i].as_bool()) continue;
    return refused(failed + "validation expression '" + rules[i].expression.source +
                   "' failed: " + rules[i].message);
  }
  return {};
}

Result<void> check_required(View claims, const JwtIssuer& issuer) {
  for (const RequiredClaim& required : issuer.required_claims) {
    if (claims[required.claim].value() == nullptr) {
      return refused("oidc: required claim " + required.claim + " not present in ID token");
    }
    const std::string value =
        TRY(text_claim(claims, required.claim, "oidc: parse claim " + required.claim));
    if (value != required.value) {
      return refused("oidc: required claim " + required.claim +
                     " value does not match. Got = " + value + ", want = " + required.value);
    }
  }
  return {};
}

}  // namespace claims_of_tokens

Result<Time> check_claims(api::View claims, const JwtIssuer& issuer, Time now) {
  TRY(claims_of_tokens::check_issuer(claims, issuer));
  TRY(claims_of_tokens::check_audience(claims, issuer));
  return claims_of_tokens::check_times(claims, now);
}

Result<User> user_of(api::View claims, const JwtIssuer& issuer) {
  using namespace claims_of_tokens;
  const IdentityContext of_claims(
      [&](cel::Arena& arena) { return cel::claims_value(arena, *claims.value()); });
  User user;
  user.name = TRY(username_of(claims, issuer.username, of_claims));
  user.groups = TRY(groups_of(claims, issuer.groups, of_claims));
  user.uid = TRY(uid_of(claims, issuer.uid, of_claims));
  const std::string_view id = claims["jti"].text();
  if (!id.empty()) {
    user.extra.emplace_back(kCredentialId, std::vector<std::string>{"JTI=" + std::string(id)});
  }
  TRY(add_extra(issuer, of_claims, user));
  TRY(check_required(claims, issuer));
  TRY(check_rules(issuer.claim_rules, of_claims,
                  "oidc: error evaluating claim validation expression: "));
  const IdentityContext of_user([&](cel::Arena& arena) {
    return cel::user_value(
        arena, {.name = user.name, .uid = user.uid, .groups = user.groups, .extra = user.extra});
  });
  TRY(check_rules(issuer.user_rules, of_user,
                  "oidc: error evaluating user info validation rule: "));
  return user;
}

}  // namespace proa::apiserver
