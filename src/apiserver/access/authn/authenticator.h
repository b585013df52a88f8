#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request/request.h"
#include "base/metrics/metrics.h"
#include "base/result.h"
#include "http/server/exchange.h"

namespace proa::apiserver {

// The credentials of a request.
struct Credentials {
  const http::Peer& peer;
  const http::Headers& headers;
  std::string_view path;  // decoded, without the query
  // Receives warnings for the client. Null: warnings are dropped.
  std::vector<std::string>* warnings = nullptr;
};

// The groups of all authenticated and of all anonymous users.
inline constexpr std::string_view kAuthenticated = "system:authenticated";
inline constexpr std::string_view kUnauthenticated = "system:unauthenticated";
inline constexpr std::string_view kAnonymousUser = "system:anonymous";
// The key in `extra` under which the credential's id is recorded.
inline constexpr std::string_view kCredentialId = "authentication.kubernetes.io/credential-id";

// Adds the user to system:authenticated, unless it is anonymous or already a member.
void join_authenticated(User& user);

// Returns the intersection of two lists of audiences.
std::vector<std::string> in_both(std::span<const std::string> some,
                                 std::span<const std::string> others);

// One authentication method. Called from any loop. To add one: a unit, and a line in
// authn/chain.cc.
class Authenticator {
 public:
  virtual ~Authenticator() = default;
  // Returns null if the request has no credentials of this kind; the next authenticator is tried.
  // Fails if it has, and they are invalid; the other authenticators are still tried, but the
  // request is not accepted as anonymous.
  virtual Result<UserPtr> authenticate(const Credentials& credentials) = 0;
  // Whether it may block on a remote call. If so, it is called on a worker thread.
  virtual bool may_wait(const Credentials& credentials) const {
    (void)credentials;
    return false;
  }
  // Its own metrics.
  virtual void write_metrics(MetricsText& text) const { (void)text; }
};

// The result of authenticating a bearer token.
struct TokenIdentity {
  UserPtr user;
  // The intersection of the requested audiences and the token's; empty for tokens without
  // audiences.
  std::vector<std::string> audiences;
  // Used by still_holds() of the authenticator that created it; may be null.
  std::shared_ptr<const void> proof = nullptr;
  // Warnings for the client.
  std::vector<std::string> warnings = {};
};

// One kind of bearer token. Also serves TokenReviews. To add one: a unit, and a line in
// authn/chain.cc.
class TokenAuthenticator {
 public:
  virtual ~TokenAuthenticator() = default;
  // Returns nullopt if the token is not of this kind. The token must be valid for one of
  // `audiences`. Error messages never contain the token: clients may see them.
  virtual Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) = 0;
  virtual bool may_wait(std::string_view token) const {
    (void)token;
    return false;
  }
  // Results are cached for ten seconds. Called before a cached result is reused; at most reads the
  // store. False: the token is authenticated again.
  virtual bool still_holds(const TokenIdentity& identity) const {
    (void)identity;
    return true;
  }
  // Its own metrics.
  virtual void write_metrics(MetricsText& text) const { (void)text; }
};

}  // namespace proa::apiserver
