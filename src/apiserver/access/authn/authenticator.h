#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request/request.h"
#include "base/result.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// What a request brings along to show whom it comes from.
struct Credentials {
  const http::Peer& peer;
  const http::Headers& headers;
  std::string_view path;  // decoded, without the query
  // What the caller should be told; null: nobody listens.
  std::vector<std::string>* warnings = nullptr;
};

using UserPtr = std::shared_ptr<const User>;

// Groups that everybody is in, or nobody who is known.
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAnonymousUser = "system:anonymous";
// Where `extra` says which credential it was.
inline constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";

// Puts a user into system:authenticated, unless its name or its groups say what it is already.
void join_authenticated(User& user);

// Those of `some` that are among `others`: of audiences.
std::vector<std::string> in_both(std::span<const std::string> some,
                                 std::span<const std::string> others);

// One way to know a caller. Called from any loop. Adding one: a unit, and a line in authn/chain.cc.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Null: these are no credentials of this kind, the next one is asked. A failure: they are, and
  // they are wrong; the others are still asked, and anonymous callers are not let in with them.
  virtual Result<UserPtr> authenticate(const Credentials& credentials) = 0;
  // Whether it may have to ask somebody else: then it is called on a worker's thread.
  virtual bool may_wait(const Credentials& credentials) const {
    (void)credentials;
    return false;
  }
};

// Whom a bearer token speaks for.
struct TokenIdentity {
  UserPtr user;
  // Those of the audiences asked for that it is meant for; empty where tokens have none.
  std::vector<std::string> audiences;
  // What still_holds() goes by, for who needs something.
  std::shared_ptr<const void> proof = nullptr;
  // What whoever uses it should be told.
  std::vector<std::string> warnings = {};
};

// One kind of bearer token. TokenReviews ask it, too. Adding one: a unit, and a line in
// authn/chain.cc.
class TokenAuthenticator {
 public:
  virtual ~TokenAuthenticator() = default;
  // Nullopt: no token of this kind. `audiences`: one of them must be among those of the token.
  // Failures never repeat the token: clients may read them.
  virtual Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) = 0;
  virtual bool may_wait(std::string_view token) const {
    (void)token;
    return false;
  }
  // Answers are remembered for ten seconds. Before one of its own is used again, whether it still
  // holds: a look into the store at most. False: it is asked anew.
  virtual bool still_holds(const TokenIdentity& identity) const {
    (void)identity;
    return true;
  }
};

}  // namespace proa::apiserver
