#include "apiserver/access/authn/token_kinds/bootstrap_token.h"

#include <algorithm>
#include <set>

#include "api/object/view.h"
#include "apiserver/objects/keys.h"
#include "apiserver/objects/reader.h"
#include "base/encoding.h"
#include "base/log.h"
#include "base/strings.h"
#include "crypto/constant_time.h"

namespace proa::apiserver {
namespace bootstrap_token {

using api::View;

const Log kLog{"authn"};

constexpr size_t kIdLength = 6;
constexpr size_t kMinSecret = 16;
constexpr size_t kMaxSecret = 64;
constexpr std::string_view kGroup = "system:bootstrappers";
constexpr size_t kMaxGroupRest = 256;

// The version of the Secret that a token was verified against.
struct Proof {
  std::string key;
  store::Revision revision;
  std::optional<Time> expires;
};

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_plain_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_plain);
}

std::optional<Halves> parse(std::string_view token) {
  const std::optional<Halves> halves = split_once(token, '.');
  if (!halves || halves->before.size() != kIdLength || !is_plain_text(halves->before) ||
      halves->after.size() < kMinSecret || halves->after.size() > kMaxSecret ||
      !is_plain_text(halves->after)) {
    return std::nullopt;
  }
  return halves;
}

// Empty if absent.
std::string value_of(View secret, std::string_view key) {
  return from_base64(secret["data"][key].text()).value_or("");
}

// system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]
bool is_group(std::string_view name) {
  const std::string prefix = std::string(kGroup) + ":";
  if (!name.starts_with(prefix)) return false;
  const std::string_view rest = name.substr(prefix.size());
  return !rest.empty() && rest.size() <= kMaxGroupRest && is_plain(rest.back()) &&
         std::all_of(rest.begin(), rest.end(),
                     [](char c) { return is_plain(c) || c == ':' || c == '-'; });
}

// Sorted and unique; nullopt if one of them is invalid.
std::optional<std::set<std::string>> groups_of(View secret) {
  std::set<std::string> groups{std::string(kGroup)};
  const std::string extra = value_of(secret, "auth-extra-groups");
  if (extra.empty()) return groups;
  for (const std::string_view group : split(extra, ',')) {
    if (!is_group(group)) return std::nullopt;
    groups.emplace(group);
  }
  return groups;
}

// Why the Secret does not accept this token; empty: it does.
std::string_view objection(View secret, const Halves& token) {
  if (secret["metadata"]["deletionTimestamp"]) return "the secret is being deleted";
  if (secret["type"].text() != "bootstrap.kubernetes.io/token")
    return "the secret has another type";
  const std::string wanted = value_of(secret, "token-secret");
  if (wanted.empty() || !crypto::equal_in_constant_time(wanted, token.after)) {
    return "token-secret does not match";
  }
  if (value_of(secret, "token-id") != token.before) return "token-id does not match";
  if (value_of(secret, "usage-bootstrap-authentication") != "true") {
    return "usage-bootstrap-authentication is not true";
  }
  return {};
}

// Nullopt: never. An unreadable time counts as expired.
std::optional<Time> expiry_of(View secret) {
  const std::string text = value_of(secret, "expiration");
  if (text.empty()) return std::nullopt;
  return parse_time(text).ok() ? parse_time(text).value() : Time::min();
}

}  // namespace bootstrap_token

BootstrapTokens::BootstrapTokens(const store::Store& store, const api::Schema& schema,
                                 const Clock& clock)
    : store_(store),
      clock_(clock),
      prefix_(ObjectReader(store, schema).prefix("", "secrets") + "kube-system/bootstrap-token-") {}

Result<std::optional<TokenIdentity>> BootstrapTokens::authenticate(std::string_view token,
                                                                   std::span<const std::string>) {
  using namespace bootstrap_token;
  const std::optional<TokenIdentity> unknown;
  const std::optional<Halves> halves = parse(token);
  if (!halves) return unknown;
  std::string key = prefix_ + std::string(halves->before);
  const store::EntryPtr entry = TRY(store_.get(key));
  if (entry == nullptr) return unknown;
  const json::Document document = TRY(object_in(*entry).document());
  const View secret = document.root();
  if (const std::string_view why = objection(secret, *halves); !why.empty()) {
    kLog.debug("bootstrap token rejected", {{"id", halves->before}, {"reason", why}});
    return unknown;
  }
  const std::optional<Time> expires = expiry_of(secret);
  if (expires && *expires <= clock_.now()) {
    kLog.debug("bootstrap token expired", {{"id", halves->before}});
    return unknown;
  }
  const std::optional<std::set<std::string>> groups = groups_of(secret);
  if (!groups) {
    kLog.debug("bootstrap token has invalid groups", {{"id", halves->before}});
    return unknown;
  }
  auto user = std::make_shared<User>();
  user->name = "system:bootstrap:" + std::string(halves->before);
  user->groups.assign(groups->begin(), groups->end());
  TokenIdentity identity{.user = std::move(user), .audiences = {}};
  identity.proof =
      std::make_shared<const Proof>(Proof{std::move(key), entry->mod_revision(), expires});
  return std::optional(std::move(identity));
}

bool BootstrapTokens::still_holds(const TokenIdentity& identity) const {
  const auto& proof = *static_cast<const bootstrap_token::Proof*>(identity.proof.get());
  if (proof.expires && *proof.expires <= clock_.now()) return false;
  const Result<store::EntryPtr> entry = store_.get(proof.key);
  return entry && *entry != nullptr && (*entry)->mod_revision() == proof.revision;
}

}  // namespace proa::apiserver
