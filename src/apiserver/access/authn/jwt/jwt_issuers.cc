#include "apiserver/access/authn/jwt/jwt_issuers.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "apiserver/access/authn/jwt/claims.h"
#include "apiserver/access/authn/jwt/signed_token.h"
#include "apiserver/access/webhook/webhook_client.h"

namespace proa::apiserver {
namespace jwt_issuers {

Status refused(std::string why) { return {Reason::kUnauthorized, std::move(why)}; }

std::vector<std::string> common(std::span<const std::string> wanted,
                                const std::vector<std::string>& given) {
  std::vector<std::string> both;
  for (const std::string& one : wanted) {
    if (std::find(given.begin(), given.end(), one) != given.end()) both.push_back(one);
  }
  return both;
}

// Whether the keys lack the one that the token names. A token that names none is tried with all
// keys.
bool lacks_key(const IssuerKeys::Keys& keys, const TokenSignature& signature) {
  return keys == nullptr || (!signature.key_id.empty() && !keys->has(signature.key_id));
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + api::quoted(text);
  return "[" + all + "]";
}

}  // namespace jwt_issuers

Result<std::shared_ptr<JwtIssuers::Trusted>> JwtIssuers::trust(
    http::LoopGroup& loops, Clock& clock, const std::vector<JwtIssuer>& issuers, uint64_t number) {
  auto trusted = std::make_shared<Trusted>();
  trusted->number = number;
  for (const JwtIssuer& issuer : issuers) {
    http::Url discovery = TRY(http::parse_url(issuer.discovery_document()));
    if (!discovery.has_tls()) {
      return Status(Reason::kInvalid, "OIDC issuer " + issuer.url + " must use https");
    }
    auto tls = TRY(http::TlsContext::client({.roots_pem = issuer.certificate_authority}));
    IssuerKeys::Source source{
        .issuer = issuer.url, .discovery = std::move(discovery), .tls = std::move(tls)};
    trusted->issuers.push_back(
        {issuer, std::make_unique<IssuerKeys>(loops, clock, std::move(source))});
  }
  return trusted;
}

Result<std::unique_ptr<JwtIssuers>> JwtIssuers::make(http::LoopGroup& loops, Clock& clock,
                                                     const JwtIssuersOptions& options) {
  auto trusted = TRY(trust(loops, clock, options.issuers, 0));
  return std::unique_ptr<JwtIssuers>(
      new JwtIssuers(loops, clock, options.api_audiences, std::move(trusted)));
}

Result<void> JwtIssuers::replace(const std::vector<JwtIssuer>& issuers, const Until& until) {
  auto next = TRY(trust(loops_, clock_, issuers, number_.load() + 1));
  for (const Known& known : next->issuers) {
    if (known.keys->await_first(until)) continue;
    return Status(
        Reason::kServiceUnavailable,
        "oidc: authenticator for issuer " + api::quoted(known.issuer.url) + " is not initialized");
  }
  const uint64_t number = next->number;
  trusted_.replace(std::move(next));
  // Cached identities of the former issuers hold no longer.
  number_.store(number);
  return {};
}

void JwtIssuers::stop() {
  for (const std::shared_ptr<const Trusted>& trusted : trusted_.all()) {
    for (const Known& known : trusted->issuers) known.keys->stop();
  }
}

const JwtIssuers::Known* JwtIssuers::Trusted::find(std::string_view issuer) const {
  const auto found = std::find_if(issuers.begin(), issuers.end(),
                                  [&](const Known& known) { return known.issuer.url == issuer; });
  return found == issuers.end() ? nullptr : &*found;
}

bool JwtIssuers::may_wait(std::string_view token) const {
  const std::optional<UntrustedToken> read = read_untrusted(token);
  const std::shared_ptr<const Trusted> trusted = trusted_.get();
  const Known* known = read ? trusted->find(read->issuer) : nullptr;
  if (known == nullptr) return false;
  const Result<TokenSignature> signature = read_signature(token);
  return signature.ok() && jwt_issuers::lacks_key(known->keys->known(), *signature) &&
         known->keys->can_wait();
}

bool JwtIssuers::still_holds(const TokenIdentity& identity) const {
  const auto* proof = static_cast<const Proof*>(identity.proof.get());
  return proof == nullptr ||
         (clock_.now() <= proof->expires && proof->configuration == number_.load());
}

Result<std::optional<TokenIdentity>> JwtIssuers::authenticate(
    std::string_view token, std::span<const std::string> audiences) {
  std::vector<std::string> good_for = jwt_issuers::common(audiences, api_audiences_);
  if (!audiences.empty() && good_for.empty()) return std::optional<TokenIdentity>();
  const std::optional<UntrustedToken> read = read_untrusted(token);
  const std::shared_ptr<const Trusted> trusted = trusted_.get();
  const Known* known = read ? trusted->find(read->issuer) : nullptr;
  if (known == nullptr) return std::optional<TokenIdentity>();
  TokenIdentity identity = TRY(verify(*trusted, *known, token, read->claims.root()));
  identity.audiences = std::move(good_for);
  return std::optional<TokenIdentity>(std::move(identity));
}

Result<TokenIdentity> JwtIssuers::verify(const Trusted& trusted, const Known& known,
                                         std::string_view token, api::View claims) const {
  const Result<TokenSignature> signature = read_signature(token);
  if (!signature) return signature.status().in("oidc: verify token");
  TRY(check_signature(known, *signature));
  const Result<Time> expires = check_claims(claims, known.issuer, clock_.now());
  if (!expires) return expires.status().in("oidc: verify token");
  User user = TRY(user_of(claims, known.issuer));
  return TokenIdentity{.user = std::make_shared<const User>(std::move(user)),
                       .audiences = {},
                       .proof = std::make_shared<const Proof>(Proof{*expires, trusted.number})};
}

Result<void> JwtIssuers::check_signature(const Known& known,
                                         const TokenSignature& signature) const {
  using namespace jwt_issuers;
  const std::vector<std::string>& allowed = known.issuer.algorithms;
  if (std::find(allowed.begin(), allowed.end(), signature.algorithm) == allowed.end()) {
    return refused(
        "oidc: verify token: oidc: id token signed with unsupported algorithm, expected " +
        quoted_list(allowed) + " got " + api::quoted(signature.algorithm));
  }
  IssuerKeys::Keys keys = known.keys->known();
  if (lacks_key(keys, signature) && may_block_here(loops_)) keys = known.keys->renewed(keys);
  if (keys == nullptr) return refused("oidc: authenticator not initialized");
  if (keys->verify(signature)) return {};
  // The issuer may have reused a key id: refresh for the next token.
  known.keys->renew();
  return refused(
      "oidc: verify token: failed to verify signature: failed to verify id token signature");
}

}  // namespace proa::apiserver
