#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authn/jwt/configuration.h"
#include "apiserver/access/authn/jwt/issuer_keys.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/replaceable.h"
#include "http/net/loop.h"

namespace proa::apiserver {

struct JwtIssuersOptions {
  std::vector<JwtIssuer> issuers;
  // The audiences of the resulting identity. Not the audiences of the issuers' tokens.
  std::vector<std::string> api_audiences;
};

// Authenticates OpenID Connect tokens of external issuers. Thread-safe.
class JwtIssuers final : public TokenAuthenticator {
 public:
  // Loops and clock outlive it. Starts to fetch the keys. Fails if an issuer's URL or certificate
  // authority cannot be parsed.
  static Result<std::unique_ptr<JwtIssuers>> make(http::LoopGroup& loops, Clock& clock,
                                                  const JwtIssuersOptions& options);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  // True if the issuer must be queried for the key that the token names.
  bool may_wait(std::string_view token) const override;
  // Whether the token has not expired since, and its issuer is the one that was asked.
  bool still_holds(const TokenIdentity& identity) const override;
  // Trusts these issuers instead, once the keys of all are known. Requests that have begun end with
  // the former ones. Fails as make(), or with kServiceUnavailable if an issuer does not give its
  // keys in time: the former ones stay. REQUIRES: one thread at a time; not a loop's.
  Result<void> replace(const std::vector<JwtIssuer>& issuers, const Until& until);
  // Drops former issuers that no request uses any more. REQUIRES: as replace().
  void release_former() { trusted_.release_former(); }
  // Cancels waiting calls.
  void stop();

 private:
  struct Known {
    JwtIssuer issuer;
    std::unique_ptr<IssuerKeys> keys;
  };

  // The issuers of one configuration.
  struct Trusted {
    uint64_t number = 0;  // of the configuration
    std::vector<Known> issuers;
    // Returns null if the issuer is not configured.
    const Known* find(std::string_view issuer) const;
  };
  struct Proof {
    Time expires;
    uint64_t configuration;
  };

  JwtIssuers(http::LoopGroup& loops, Clock& clock, std::vector<std::string> api_audiences,
             std::shared_ptr<Trusted> trusted)
      : loops_(loops),
        clock_(clock),
        api_audiences_(std::move(api_audiences)),
        trusted_(std::move(trusted)) {}

  static Result<std::shared_ptr<Trusted>> trust(http::LoopGroup& loops, Clock& clock,
                                                const std::vector<JwtIssuer>& issuers,
                                                uint64_t number);
  Result<TokenIdentity> verify(const Trusted& trusted, const Known& known, std::string_view token,
                               api::View claims) const;
  Result<void> check_signature(const Known& known, const TokenSignature& signature) const;

  http::LoopGroup& loops_;
  Clock& clock_;
  const std::vector<std::string> api_audiences_;
  Replaceable<const Trusted> trusted_;
  std::atomic<uint64_t> number_{0};  // of the configuration in force
};

}  // namespace proa::apiserver
