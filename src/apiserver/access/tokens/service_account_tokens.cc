#include "apiserver/access/tokens/service_account_tokens.h"

#include <algorithm>
#include <limits>
#include <ratio>

#include "api/object/edit.h"
#include "apiserver/access/tokens/jwt.h"

namespace proa::apiserver {
namespace service_account_tokens {

using api::Edit;
using api::View;

// The claim with all Kubernetes-specific claims.
constexpr std::string_view kOwn = "kubernetes.io";
// For clock skew between servers.
constexpr Duration kLeeway = std::chrono::minutes(1);

Status refused(std::string why) { return {Reason::kUnauthorized, std::move(why)}; }

int64_t seconds_of(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

Result<Time> time_of(View claims, std::string_view name) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / std::nano::den;
  const View seconds = claims[name];
  if (!seconds.is(json::Kind::kInt) || seconds.integer() < 0 || seconds.integer() >= kMost) {
    return refused("service account token has no claim \"" + std::string(name) +
                   "\" that is a time");
  }
  return Time(std::chrono::seconds(seconds.integer()));
}

void put(Edit claims, std::string_view name, const std::optional<NamedObject>& object) {
  if (!object) return;
  const Edit place = claims.object(name);
  place.set("name", object->name);
  if (!object->uid.empty()) place.set("uid", object->uid);
}

NamedObject object_of(View claim) {
  return {std::string(claim["name"].text()), std::string(claim["uid"].text())};
}

std::optional<NamedObject> get(View claims, std::string_view name) {
  const View claim = claims[name];
  return claim ? std::optional(object_of(claim)) : std::nullopt;
}

// A list, or a single string, as RFC 7519 allows.
std::vector<std::string> audiences_of(View claim) {
  std::vector<std::string> audiences;
  if (claim.is(json::Kind::kString)) audiences.emplace_back(claim.text());
  for (const View one : claim.items()) audiences.emplace_back(one.text());
  return audiences;
}

bool overlap(std::span<const std::string> some, std::span<const std::string> others) {
  return std::find_first_of(some.begin(), some.end(), others.begin(), others.end()) != some.end();
}

Result<void> check_times(View claims, Time now) {
  const Time not_before = TRY(time_of(claims, "nbf"));
  const Time issued = TRY(time_of(claims, "iat"));
  const Time expires = TRY(time_of(claims, "exp"));
  if (now + kLeeway < not_before) return refused("service account token is not valid yet");
  if (now - kLeeway > expires) return refused("service account token has expired");
  if (now + kLeeway < issued) return refused("service account token is issued in the future");
  return {};
}

Result<ServiceAccountClaims> read(View claims) {
  const View own = claims[kOwn];
  const Time issued = TRY(time_of(claims, "iat"));
  const Time expires = TRY(time_of(claims, "exp"));
  ServiceAccountClaims read{.name_space = std::string(own["namespace"].text()),
                            .service_account = object_of(own["serviceaccount"]),
                            .pod = get(own, "pod"),
                            .secret = get(own, "secret"),
                            .node = get(own, "node"),
                            .audiences = audiences_of(claims["aud"]),
                            .id = std::string(claims["jti"].text()),
                            .issued = issued,
                            .expires = expires,
                            .warn_after = std::nullopt};
  if (own["warnafter"]) read.warn_after = TRY(time_of(own, "warnafter"));
  if (read.name_space.empty() || read.service_account.name.empty() ||
      read.service_account.uid.empty() || claims["sub"].text() != read.user_name()) {
    return refused("token does not name a service account");
  }
  return read;
}

}  // namespace service_account_tokens

std::string ServiceAccountClaims::user_name() const {
  return "system:serviceaccount:" + name_space + ":" + service_account.name;
}

Result<std::unique_ptr<const ServiceAccountTokens>> ServiceAccountTokens::make(
    const Options& options) {
  std::unique_ptr<ServiceAccountTokens> tokens(new ServiceAccountTokens);
  tokens->issuer_ = options.issuer;
  tokens->audiences_ = options.audiences;
  if (tokens->audiences_.empty()) tokens->audiences_.push_back(options.issuer);
  for (const std::string& pem : options.keys) {
    std::unique_ptr<const TokenKey> key = TRY(TokenKey::read(pem));
    tokens->keys_.push_back(std::move(key));
  }
  if (tokens->keys_.empty() || !tokens->keys_[0]->can_sign()) {
    return Status(Reason::kInvalid, "service account tokens require a private key");
  }
  return std::unique_ptr<const ServiceAccountTokens>(std::move(tokens));
}

Result<std::string> ServiceAccountTokens::issue(const ServiceAccountClaims& claims) const {
  using namespace service_account_tokens;
  json::Document document({}, json::Value::object());
  const Edit all(document);
  // In alphabetical order at every level, as in upstream's tokens.
  const Edit audiences = all.array("aud");
  for (const std::string& audience : claims.audiences) {
    audiences.push(json::Value::string(document.arena(), audience));
  }
  all.set("exp", seconds_of(claims.expires));
  all.set("iat", seconds_of(claims.issued));
  all.set("iss", issuer_);
  all.set("jti", claims.id);
  const Edit own = all.object(kOwn);
  own.set("namespace", claims.name_space);
  put(own, "node", claims.node);
  put(own, "pod", claims.pod);
  put(own, "secret", claims.secret);
  put(own, "serviceaccount", claims.service_account);
  if (claims.warn_after) own.set("warnafter", seconds_of(*claims.warn_after));
  all.set("nbf", seconds_of(claims.issued));
  all.set("sub", claims.user_name());
  return sign_jwt(document.root(), *keys_[0]);
}

Result<ServiceAccountClaims> ServiceAccountTokens::verify(std::string_view token,
                                                          std::span<const std::string> audiences,
                                                          Time now) const {
  using namespace service_account_tokens;
  const json::Document document = TRY(verify_jwt(token, keys_));
  const View claims = document.root();
  if (claims["iss"].text() != issuer_) {
    return refused("token issuer \"" + std::string(claims["iss"].text()) + "\" is invalid");
  }
  if (!overlap(audiences_of(claims["aud"]), audiences)) {
    return refused("token audiences are invalid for the target audiences");
  }
  TRY(check_times(claims, now));
  return read(claims);
}

}  // namespace proa::apiserver
