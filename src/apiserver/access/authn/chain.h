#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authn/anonymous.h"
#include "apiserver/access/authn/authentication_metrics.h"
#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authn/bearer_tokens.h"
#include "apiserver/access/authn/front_proxy.h"
#include "apiserver/access/tokens/service_account_tokens.h"
#include "base/clock.h"
#include "base/limits/log_limit.h"
#include "base/random.h"
#include "store/store.h"

namespace proa::apiserver {

struct AuthenticationOptions {
  std::string client_authorities_pem;  // CA bundle for client certificates
  std::optional<FrontProxyOptions> front_proxy = std::nullopt;
  std::string token_file = {};  // the text of --token-auth-file
  bool bootstrap_tokens = true;
  AnonymousOptions anonymous = {};
};

// The dependencies of authenticators. All outlive them.
struct AuthenticationContext {
  store::Store& store;
  const api::Schema& schema;
  const Clock& clock;
  Random& random;
  const ServiceAccountTokens* tokens = nullptr;  // null: service account tokens are disabled
};

// The state and result of authenticating one request.
struct Caller {
  UserPtr user;                       // null: not authenticated, 401
  std::vector<std::string> warnings;  // for the response
  // Undecided: the next authenticator may block. Call finish() on a worker thread.
  bool may_wait = false;

 private:
  friend class Authentication;
  Steady began_ = {};
  size_t authenticators_tried_ = 0;
  bool has_bad_credentials_ =
      false;  // an authenticator recognized the credentials and refused them
};

// Authenticates requests. Thread-safe unless stated otherwise.
class Authentication {
 public:
  // `additional` token authenticators run after the built-in ones, which are cheaper. Fails with
  // kInvalid if the options are inconsistent.
  static Result<std::unique_ptr<Authentication>> make(
      const AuthenticationOptions& options, const AuthenticationContext& context,
      std::vector<std::unique_ptr<TokenAuthenticator>> additional = {});
  // `tokens` run last. REQUIRES: among `authenticators`, those that keep state with the connection
  // precede those that may block.
  Authentication(std::vector<std::unique_ptr<Authenticator>> authenticators,
                 std::unique_ptr<BearerTokens> tokens, AnonymousOptions anonymous,
                 const Clock& clock);

  // REQUIRES: on the connection's loop.
  Caller authenticate(const Credentials& credentials);
  // Continues where authenticate() stopped. REQUIRES: the same credentials. May block.
  void finish(Caller& caller, const Credentials& credentials);

  void write_metrics(MetricsText& text) const;

  // For TokenReviews.
  BearerTokens& tokens() { return *tokens_; }

 private:
  enum class Waiting : uint8_t { kNever, kAllowed };
  void ask(Caller& caller, const Credentials& credentials, Waiting waiting);
  void count(const Caller& caller);

  const Clock& clock_;
  std::vector<std::unique_ptr<Authenticator>> authenticators_;
  BearerTokens* tokens_;  // one of them
  Anonymous anonymous_;
  LogLimit refusals_logged_;  // anybody can cause them
  AuthenticationMetrics metrics_;
};

}  // namespace proa::apiserver
