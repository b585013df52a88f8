#pragma once

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
#include "http/net/loop.h"

namespace proa::apiserver {

struct JwtIssuersOptions {
  std::vector<JwtIssuer> issuers;
  // The audiences of the resulting identity. Not the audiences of the issuers' tokens.
  std::vector<std::string> api_audiences;
};

// Authenticates OpenID Connect tokens of external issuers.
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
  // Whether the token has not expired since.
  bool still_holds(const TokenIdentity& identity) const override;
  // Cancels waiting calls. Thread-safe.
  void stop();

 private:
  struct Known {
    JwtIssuer issuer;
    std::unique_ptr<IssuerKeys> keys;
  };

  JwtIssuers(http::LoopGroup& loops, Clock& clock, std::vector<std::string> api_audiences)
      : loops_(loops), clock_(clock), api_audiences_(std::move(api_audiences)) {}

  // Returns null if the issuer is not configured.
  const Known* find(std::string_view issuer) const;
  Result<TokenIdentity> verify(const Known& known, std::string_view token, api::View claims) const;
  Result<void> check_signature(const Known& known, const TokenSignature& signature) const;

  http::LoopGroup& loops_;
  const Clock& clock_;
  const std::vector<std::string> api_audiences_;
  std::vector<Known> issuers_;
};

}  // namespace proa::apiserver
