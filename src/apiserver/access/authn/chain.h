#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authn/anonymous.h"
#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authn/bearer_tokens.h"
#include "apiserver/access/authn/front_proxy.h"
#include "apiserver/access/tokens/service_account_tokens.h"
#include "base/clock.h"
#include "base/random.h"
#include "store/store.h"

namespace proa::apiserver {

// How callers shall be known.
struct AuthenticationOptions {
  std::string client_authorities_pem;  // who signs the certificates of clients
  std::optional<FrontProxyOptions> front_proxy = std::nullopt;
  std::string token_file = {};  // the text of --token-auth-file
  bool bootstrap_tokens = true;
  AnonymousOptions anonymous = {};
};

// What authenticators are made with. Everything outlives them.
struct AuthenticationContext {
  const store::Store& store;
  const api::Schema& schema;
  const Clock& clock;
  Random& random;
  const ServiceAccountTokens* tokens = nullptr;  // null: there are none
};

// What was found out about who asks.
struct Caller {
  UserPtr user;                       // null: nobody that is known, 401
  std::vector<std::string> warnings;  // for the answer
  // Nothing is decided yet: somebody else may have to be asked. finish() it on a worker's thread.
  bool may_wait = false;

 private:
  friend class Authentication;
  size_t authenticators_tried_ = 0;
  bool has_bad_credentials_ =
      false;  // an authenticator recognized the credentials and refused them
};

// Says who is at the other end. For any thread but where it says otherwise.
class Authentication {
 public:
  // `further` kinds of tokens are asked behind our own, which cost less. kInvalid for options that
  // can't be.
  static Result<std::unique_ptr<Authentication>> make(
      const AuthenticationOptions& options, const AuthenticationContext& context,
      std::vector<std::unique_ptr<TokenAuthenticator>> further = {});
  // The tokens are asked last. REQUIRES: of `authenticators`, those that keep something with the
  // connection stand before those that may wait.
  Authentication(std::vector<std::unique_ptr<Authenticator>> authenticators,
                 std::unique_ptr<BearerTokens> tokens, AnonymousOptions anonymous);

  // On the connection's loop.
  Caller authenticate(const Credentials& credentials);
  // Goes on where authenticate() stopped, with the same credentials; may wait.
  void finish(Caller& caller, const Credentials& credentials);

  // For TokenReviews.
  BearerTokens& tokens() { return *tokens_; }

 private:
  enum class Waiting : uint8_t { kNever, kAllowed };
  void ask(Caller& caller, const Credentials& credentials, Waiting waiting);

  std::vector<std::unique_ptr<Authenticator>> authenticators_;
  BearerTokens* tokens_;  // one of them
  Anonymous anonymous_;
};

}  // namespace proa::apiserver
