#include "apiserver/access/authn/chain.h"

#include "apiserver/access/authn/certificates.h"
#include "apiserver/access/authn/token_kinds/bootstrap_token.h"
#include "apiserver/access/authn/token_kinds/service_account.h"
#include "apiserver/access/authn/token_kinds/token_file.h"
#include "base/log.h"
#include "crypto/client_verifier.h"

namespace proa::apiserver {
namespace chain {

const Log kLog{"authn"};

using Options = AuthenticationOptions;
using Context = AuthenticationContext;
// Null: disabled.
using Made = Result<std::unique_ptr<Authenticator>>;
using MadeToken = Result<std::unique_ptr<TokenAuthenticator>>;

Made make_front_proxy(const Options& options, const Context& context) {
  if (!options.front_proxy) return std::unique_ptr<Authenticator>();
  auto made =
      TRY(FrontProxy::make(*options.front_proxy, options.client_authorities_pem, context.clock));
  return std::unique_ptr<Authenticator>(std::move(made));
}

Made make_certificates(const Options& options, const Context& context) {
  auto authorities = TRY(crypto::ClientVerifier::trust(options.client_authorities_pem));
  return std::unique_ptr<Authenticator>(
      std::make_unique<Certificates>(std::move(authorities), context.clock));
}

MadeToken make_token_file(const Options& options, const Context&) {
  if (options.token_file.empty()) return std::unique_ptr<TokenAuthenticator>();
  auto made = TRY(TokenFile::parse(options.token_file));
  return std::unique_ptr<TokenAuthenticator>(std::move(made));
}

MadeToken make_service_accounts(const Options&, const Context& context) {
  if (context.tokens == nullptr) return std::unique_ptr<TokenAuthenticator>();
  return std::unique_ptr<TokenAuthenticator>(std::make_unique<ServiceAccountAuthenticator>(
      *context.tokens, context.store, context.schema, context.clock));
}

MadeToken make_bootstrap_tokens(const Options& options, const Context& context) {
  if (!options.bootstrap_tokens) return std::unique_ptr<TokenAuthenticator>();
  return std::unique_ptr<TokenAuthenticator>(
      std::make_unique<BootstrapTokens>(context.store, context.schema, context.clock));
}

// In upstream's order. To add one: a unit (token kinds: in token_kinds/), and a line here.
constexpr Made (*kAuthenticators[])(const Options&, const Context&) = {
    make_front_proxy,
    make_certificates,
};
constexpr MadeToken (*kTokenKinds[])(const Options&, const Context&) = {
    make_token_file,
    make_service_accounts,
    make_bootstrap_tokens,
};

UserPtr joined(UserPtr user) {
  if (user->in_group(kAuthenticated)) return user;
  auto copy = std::make_shared<User>(*user);
  join_authenticated(*copy);
  return copy;
}

}  // namespace chain

Result<std::unique_ptr<Authentication>> Authentication::make(
    const AuthenticationOptions& options, const AuthenticationContext& context,
    std::vector<std::unique_ptr<TokenAuthenticator>> additional) {
  std::vector<std::unique_ptr<Authenticator>> authenticators;
  for (const auto make_one : chain::kAuthenticators) {
    std::unique_ptr<Authenticator> one = TRY(make_one(options, context));
    if (one != nullptr) authenticators.push_back(std::move(one));
  }
  std::vector<std::unique_ptr<TokenAuthenticator>> kinds;
  for (const auto make_one : chain::kTokenKinds) {
    std::unique_ptr<TokenAuthenticator> one = TRY(make_one(options, context));
    if (one != nullptr) kinds.push_back(std::move(one));
  }
  for (std::unique_ptr<TokenAuthenticator>& one : additional) kinds.push_back(std::move(one));
  std::vector<std::string> audiences;
  if (context.tokens != nullptr) audiences = context.tokens->audiences();
  auto tokens = std::make_unique<BearerTokens>(std::move(kinds), std::move(audiences),
                                               context.random, context.clock);
  return std::make_unique<Authentication>(std::move(authenticators), std::move(tokens),
                                          options.anonymous, context.clock);
}

Authentication::Authentication(std::vector<std::unique_ptr<Authenticator>> authenticators,
                               std::unique_ptr<BearerTokens> tokens, AnonymousOptions anonymous,
                               const Clock& clock)
    : clock_(clock),
      authenticators_(std::move(authenticators)),
      tokens_(tokens.get()),
      anonymous_(std::move(anonymous)),
      refusals_logged_(clock, 5, std::chrono::seconds(10)) {
  authenticators_.push_back(std::move(tokens));
}

Caller Authentication::authenticate(const Credentials& credentials) {
  Caller caller;
  caller.began_ = clock_.steady();
  ask(caller, credentials, Waiting::kNever);
  if (!caller.may_wait) count(caller);
  return caller;
}

void Authentication::finish(Caller& caller, const Credentials& credentials) {
  caller.may_wait = false;
  ask(caller, credentials, Waiting::kAllowed);
  count(caller);
}

void Authentication::count(const Caller& caller) {
  using Outcome = AuthenticationMetrics::Outcome;
  Outcome outcome = caller.has_bad_credentials_ ? Outcome::kError : Outcome::kFailure;
  if (caller.user != nullptr) {
    outcome = Outcome::kSuccess;
    metrics_.count_user(caller.user->name);
  }
  metrics_.count_attempt(outcome, clock_.steady() - caller.began_);
}

void Authentication::write_metrics(MetricsText& text) const {
  metrics_.write(text);
  for (const std::unique_ptr<Authenticator>& one : authenticators_) one->write_metrics(text);
}

void Authentication::ask(Caller& caller, const Credentials& credentials, Waiting waiting) {
  Credentials shown = credentials;
  shown.warnings = &caller.warnings;
  for (; caller.authenticators_tried_ < authenticators_.size(); ++caller.authenticators_tried_) {
    Authenticator& authenticator = *authenticators_[caller.authenticators_tried_];
    if (waiting == Waiting::kNever && authenticator.may_wait(shown)) {
      caller.may_wait = true;
      return;
    }
    Result<UserPtr> user = authenticator.authenticate(shown);
    if (!user) {
      caller.has_bad_credentials_ = true;
      if (const std::optional<uint64_t> omitted = refusals_logged_.next()) {
        chain::kLog.warn("credentials were refused",
                         {{"error", user.status()}, {"omitted", *omitted}});
      }
    } else if (*user != nullptr) {
      caller.user = chain::joined(std::move(*user));
      return;
    }
  }
  // Requests with invalid credentials are not anonymous.
  if (caller.has_bad_credentials_) return;
  const Result<UserPtr> anonymous = anonymous_.authenticate(shown);
  if (anonymous) caller.user = *anonymous;
}

}  // namespace proa::apiserver
