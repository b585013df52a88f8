#include "apiserver/access/authn/token_kinds/service_account.h"

#include <algorithm>

#include "api/object/view.h"
#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "apiserver/access/authn/token_kinds/last_use.h"
#include "apiserver/access/tokens/jwt.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/reader.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "crypto/constant_time.h"
#include "json/parse.h"
#include "json/text/scan.h"

namespace proa::apiserver {
namespace service_account {

using api::View;

constexpr std::string_view kUserPrefix = "system:serviceaccount:";
// The issuer of legacy tokens in Secrets.
constexpr std::string_view kOlderIssuer = "kubernetes/serviceaccount";
constexpr std::string_view kInvalidSince = "kubernetes.io/legacy-token-invalid-since";
// Objects count as existing until this long after their deletion time, for clock skew.
constexpr Duration kLeeway = std::chrono::minutes(1);
constexpr size_t kMaxBytes = 16 * 1024;

constexpr MetricFamily kLegacyTokens{"serviceaccount_legacy_tokens_total",
                                     "Uses of service account tokens that name no audience."};
constexpr MetricFamily kStaleTokens{
    "serviceaccount_stale_tokens_total",
    "Uses of service account tokens that their client should have refreshed."};
constexpr MetricFamily kManualTokens{"serviceaccount_legacy_manual_token_uses_total",
                                     "Uses of legacy tokens in Secrets that users created."};
constexpr MetricFamily kGeneratedTokens{"serviceaccount_legacy_auto_token_uses_total",
                                        "Uses of legacy tokens in generated Secrets."};
constexpr MetricFamily kInvalidatedTokens{
    "serviceaccount_invalid_legacy_auto_token_uses_total",
    "Uses of legacy tokens in generated Secrets that are marked as invalid."};
constexpr MetricFamily kValidTokens{
    "serviceaccount_valid_tokens_total",
    "Uses of service account tokens that need not be refreshed yet."};

struct Proof {
  std::optional<Time> expires;
  std::vector<TokenAnchor> anchors;
};

Status refused(std::string why) { return {Reason::kUnauthorized, std::move(why)}; }
Status invalidated() { return refused("service account token has been invalidated"); }

// The issuer claim, unverified. Empty if this is not a token.
std::string claimed_issuer(std::string_view token) {
  if (token.size() > kMaxBytes) return {};
  const std::vector<std::string_view> parts = split(token, '.');
  if (parts.size() != 3) return {};
  const std::optional<std::string> text = from_base64_url(parts[1]);
  if (!text) return {};
  const Result<json::Document> claims =
      json::parse(*text, {.max_size = kMaxBytes, .max_depth = 16});
  return claims ? std::string(View(claims->root())["iss"].text()) : std::string();
}

// ["a" "b"], as Go formats lists.
std::string printed(std::span<const std::string> texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(api::quoted(text));
  return "[" + join(quoted, " ") + "]";
}

// The deletion time; nullopt if it is not being deleted.
std::optional<Time> deletion_of(const api::Object& object) {
  if (!object.metadata().being_deleted) return std::nullopt;
  const std::string_view metadata = json::Scan::find(object.json(), "metadata");
  const Result<Time> time =
      parse_time(json::Scan::unquoted(json::Scan::find(metadata, "deletionTimestamp")));
  return time ? *time : Time::min();
}

bool is_over(const api::Object& object, Time now) {
  const std::optional<Time> deletion = deletion_of(object);
  return deletion && *deletion < now - kLeeway;
}

std::string key_in(const std::string& prefix, std::string_view name_space, std::string_view name) {
  return prefix + std::string(name_space) + "/" + std::string(name);
}

UserPtr user_of(const ServiceAccountClaims& claims) {
  auto user = std::make_shared<User>();
  user->name = claims.user_name();
  user->uid = claims.service_account.uid;
  user->groups = service_account_groups(claims.name_space);
  const auto add = [&](std::string_view key, const std::string& value) {
    user->extra.push_back({"authentication.kubernetes.io/" + std::string(key), std::vector{value}});
  };
  if (!claims.id.empty()) add("credential-id", "JTI=" + claims.id);
  if (claims.node && !claims.node->name.empty()) {
    add("node-name", claims.node->name);
    if (!claims.node->uid.empty()) add("node-uid", claims.node->uid);
  }
  if (claims.pod && !claims.pod->name.empty() && !claims.pod->uid.empty()) {
    add("pod-name", claims.pod->name);
    add("pod-uid", claims.pod->uid);
  }
  return user;
}

struct OlderClaims {
  ServiceAccountClaims account;
  std::string secret;
};

Result<OlderClaims> read_older(View claims) {
  const auto claim = [&](std::string_view name) {
    return std::string(claims["kubernetes.io/serviceaccount/" + std::string(name)].text());
  };
  OlderClaims read;
  read.account.name_space = claim("namespace");
  read.account.service_account = {claim("service-account.name"), claim("service-account.uid")};
  read.secret = claim("secret.name");
  const std::string_view subject = claims["sub"].text();
  if (subject.empty()) return refused("sub claim is missing");
  if (read.account.name_space.empty()) return refused("namespace claim is missing");
  if (read.secret.empty()) return refused("secretName claim is missing");
  if (read.account.service_account.name.empty()) {
    return refused("serviceAccountName claim is missing");
  }
  if (read.account.service_account.uid.empty()) {
    return refused("serviceAccountUID claim is missing");
  }
  if (!service_account_of(subject) || subject != read.account.user_name()) {
    return refused("sub claim is invalid");
  }
  const View audiences = claims["aud"];
  if (audiences.is(json::Kind::kString)) read.account.audiences.emplace_back(audiences.text());
  for (const View one : audiences.items()) read.account.audiences.emplace_back(one.text());
  return read;
}

Result<void> check_secret(View secret, std::string_view token) {
  if (secret["metadata"]["deletionTimestamp"]) return refused("Token has been invalidated");
  const std::string kept = from_base64(secret["data"]["token"].text()).value_or("");
  if (!crypto::equal_in_constant_time(kept, token))
    return refused("Token does not match server's copy");
  return {};
}

Result<void> check_older_account(View account, const ServiceAccountClaims& claims) {
  const std::string name = claims.name_space + "/" + claims.service_account.name;
  if (account["metadata"]["deletionTimestamp"]) {
    return refused("ServiceAccount " + name + " has been deleted");
  }
  const std::string uid(account["metadata"]["uid"].text());
  if (uid == claims.service_account.uid) return {};
  return refused("ServiceAccount UID (" + uid + ") does not match claim (" +
                 claims.service_account.uid + ")");
}

Result<void> check_not_marked(View secret, const OlderClaims& claims) {
  const View labels = secret["metadata"]["labels"];
  if (labels[kInvalidSince].text().empty()) return {};
  const std::string& name_space = claims.account.name_space;
  return refused("the token in secret " + name_space + "/" + claims.secret +
                 " for service account " + name_space + "/" + claims.account.service_account.name +
                 " has been marked invalid. Use tokens from the TokenRequest API or manually "
                 "created secret-based tokens, or remove the '" +
                 std::string(kInvalidSince) +
                 "' label from the secret to temporarily allow use of this token");
}

// Whether the Secret was generated for the account (legacy behavior).
bool is_generated(View account, std::string_view secret) {
  const auto secrets = account["secrets"].items();
  return std::any_of(secrets.begin(), secrets.end(),
                     [&](const View one) { return one["name"].text() == secret; });
}

Status no_such_account(std::string_view name) {
  return refused("serviceaccounts " + api::quoted(name) + " not found");
}

}  // namespace service_account

std::optional<ServiceAccountName> service_account_of(std::string_view user_name) {
  using service_account::kUserPrefix;
  if (!user_name.starts_with(kUserPrefix)) return std::nullopt;
  const auto halves = split_once(user_name.substr(kUserPrefix.size()), ':');
  if (!halves || !api::check_dns1123_label(halves->before).empty() ||
      !api::check_dns1123_subdomain(halves->after).empty()) {
    return std::nullopt;
  }
  return ServiceAccountName{halves->before, halves->after};
}

std::vector<std::string> service_account_groups(std::string_view name_space) {
  return {"system:serviceaccounts", "system:serviceaccounts:" + std::string(name_space)};
}

ServiceAccountAuthenticator::ServiceAccountAuthenticator(const ServiceAccountTokens& tokens,
                                                         store::Store& store,
                                                         const api::Schema& schema,
                                                         const Clock& clock)
    : tokens_(tokens),
      store_(store),
      clock_(clock),
      accounts_(ObjectReader(store, schema).prefix("", "serviceaccounts")),
      pods_(ObjectReader(store, schema).prefix("", "pods")),
      nodes_(ObjectReader(store, schema).prefix("", "nodes")),
      secrets_(ObjectReader(store, schema).prefix("", "secrets")),
      secret_type_(*schema.find_resource("", "v1", "secrets")->type) {}

Result<std::optional<TokenIdentity>> ServiceAccountAuthenticator::authenticate(
    std::string_view token, std::span<const std::string> audiences) {
  // External issuers use the same format: only tokens that claim to be ours are verified.
  const std::string issuer = service_account::claimed_issuer(token);
  if (issuer == tokens_.issuer()) {
    TokenIdentity identity = TRY(authenticate_issued(token, audiences));
    return std::optional(std::move(identity));
  }
  if (issuer == service_account::kOlderIssuer) {
    TokenIdentity identity = TRY(authenticate_older(token, audiences));
    return std::optional(std::move(identity));
  }
  return std::optional<TokenIdentity>();
}

Result<TokenIdentity> ServiceAccountAuthenticator::authenticate_issued(
    std::string_view token, std::span<const std::string> audiences) const {
  using namespace service_account;
  const ServiceAccountClaims claims = TRY(tokens_.verify(token, audiences, clock_.now()));
  const std::string& name_space = claims.name_space;
  auto proof = std::make_shared<Proof>();
  proof->expires = claims.expires;
  const NamedObject& account = claims.service_account;
  proof->anchors.push_back({key_in(accounts_, name_space, account.name), account.uid, {}});
  TRY(check_account(claims, proof->anchors.back()));
  const auto bind = [&](std::string_view what, std::string key,
                        const NamedObject& object) -> Result<void> {
    proof->anchors.push_back({std::move(key), object.uid, {}});
    return check_bound(what, proof->anchors.back());
  };
  if (const auto& secret = claims.secret) {
    TRY(bind("secret", key_in(secrets_, name_space, secret->name), *secret));
  }
  if (const auto& pod = claims.pod) {
    TRY(bind("pod", key_in(pods_, name_space, pod->name), *pod));
  } else if (const auto& node = claims.node) {
    // The node of a pod's token is informational; the token is bound to the pod.
    TRY(bind("node", nodes_ + node->name, *node));
  }
  TokenIdentity identity{.user = user_of(claims),
                         .audiences = in_both(claims.audiences, audiences)};
  identity.proof = std::move(proof);
  if (claims.warn_after && *claims.warn_after != Time()) {
    (clock_.now() > *claims.warn_after ? uses_.stale : uses_.valid).add();
  }
  return identity;
}

Result<void> ServiceAccountAuthenticator::check_account(const ServiceAccountClaims& claims,
                                                        const TokenAnchor& anchor) const {
  using namespace service_account;
  const std::string& name = claims.service_account.name;
  const store::EntryPtr entry = TRY(store_.get(anchor.key));
  if (entry == nullptr) return no_such_account(name);
  const api::Object& object = object_in(*entry);
  const std::string_view uid = object.metadata().uid;
  if (uid != anchor.uid) {
    return refused("service account UID (" + std::string(uid) + ") does not match claim (" +
                   anchor.uid + ")");
  }
  if (is_over(object, clock_.now())) {
    return refused("service account " + claims.name_space + "/" + name + " has been deleted");
  }
  return {};
}

Result<void> ServiceAccountAuthenticator::check_bound(std::string_view what,
                                                      const TokenAnchor& anchor) const {
  using namespace service_account;
  const store::EntryPtr entry = TRY(store_.get(anchor.key));
  if (entry == nullptr) return invalidated();
  const api::Object& object = object_in(*entry);
  const std::string_view uid = object.metadata().uid;
  if (uid != anchor.uid) {
    return refused(std::string(what) + " UID (" + std::string(uid) +
                   ") does not match service account " + std::string(what) + " ref claim (" +
                   anchor.uid + ")");
  }
  if (is_over(object, clock_.now())) return invalidated();
  return {};
}

Result<TokenIdentity> ServiceAccountAuthenticator::authenticate_older(
    std::string_view token, std::span<const std::string> audiences) const {
  using namespace service_account;
  const json::Document document = TRY(verify_jwt(token, tokens_.keys()));
  OlderClaims claims = TRY(read_older(document.root()));
  std::vector<std::string>& meant = claims.account.audiences;
  if (meant.empty()) {
    uses_.legacy.add();
    meant = tokens_.audiences();
  }
  std::vector<std::string> both = in_both(meant, audiences);
  if (both.empty()) {
    return refused("token audiences " + printed(meant) + " is invalid for the target audiences " +
                   printed(audiences));
  }
  const std::string& name_space = claims.account.name_space;
  const std::string& account_name = claims.account.service_account.name;
  std::string secret_key = key_in(secrets_, name_space, claims.secret);
  const store::EntryPtr secret_entry = TRY(store_.get(secret_key));
  if (secret_entry == nullptr) return refused("Token has been invalidated");
  const json::Document secret = TRY(object_in(*secret_entry).document());
  TRY(check_secret(secret.root(), token));
  std::string account_key = key_in(accounts_, name_space, account_name);
  const store::EntryPtr account_entry = TRY(store_.get(account_key));
  if (account_entry == nullptr) return no_such_account(account_name);
  const json::Document account = TRY(object_in(*account_entry).document());
  TRY(check_older_account(account.root(), claims.account));
  note_last_use(store_, secret_type_, secret_entry, clock_.now());
  if (const Result<void> unmarked = check_not_marked(secret.root(), claims); !unmarked) {
    uses_.invalidated.add();
    return unmarked.status();
  }
  auto proof = std::make_shared<Proof>();
  proof->anchors.push_back({std::move(secret_key), {}, secret_entry->mod_revision()});
  proof->anchors.push_back({std::move(account_key), {}, account_entry->mod_revision()});
  TokenIdentity identity{.user = user_of(claims.account), .audiences = std::move(both)};
  identity.proof = std::move(proof);
  const bool generated = is_generated(account.root(), claims.secret);
  (generated ? uses_.generated : uses_.manual).add();
  if (generated) {
    identity.warnings.emplace_back(
        "Use tokens from the TokenRequest API or manually created secret-based tokens instead of "
        "auto-generated secret-based tokens.");
  }
  return identity;
}

void ServiceAccountAuthenticator::write_metrics(MetricsText& text) const {
  const auto add = [&](const MetricFamily& family, uint64_t count) {
    text.begin(family);
    text.add({}, count);
  };
  add(service_account::kLegacyTokens, uses_.legacy.value());
  add(service_account::kStaleTokens, uses_.stale.value());
  add(service_account::kManualTokens, uses_.manual.value());
  add(service_account::kGeneratedTokens, uses_.generated.value());
  add(service_account::kInvalidatedTokens, uses_.invalidated.value());
  add(service_account::kValidTokens, uses_.valid.value());
}

bool ServiceAccountAuthenticator::still_holds(const TokenIdentity& identity) const {
  const auto& proof = *static_cast<const service_account::Proof*>(identity.proof.get());
  const Time now = clock_.now();
  if (proof.expires && *proof.expires <= now) return false;
  return std::all_of(proof.anchors.begin(), proof.anchors.end(), [&](const TokenAnchor& anchor) {
    const Result<store::EntryPtr> entry = store_.get(anchor.key);
    if (!entry || *entry == nullptr) return false;
    if (anchor.revision.value != 0) return (*entry)->mod_revision() == anchor.revision;
    const api::Object& object = object_in(**entry);
    return object.metadata().uid == anchor.uid && !service_account::is_over(object, now);
  });
}

}  // namespace proa::apiserver
