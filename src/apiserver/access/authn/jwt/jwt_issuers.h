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
  // What their tokens are for here; audiences of the issuers are something else.
  std::vector<std::string> api_audiences;
};

// Tokens of other issuers, by OpenID Connect: each signs its own, and we know where its keys are.
class JwtIssuers final : public TokenAuthenticator {
 public:
  // Loops and clock outlive it; begins to fetch the keys. Fails when an issuer can't be asked at
  // all: its URL or its certificate authority can't be read.
  static Result<std::unique_ptr<JwtIssuers>> make(http::LoopGroup& loops, Clock& clock,
                                                  const JwtIssuersOptions& options);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  // When its issuer has to be asked for the key that it names.
  bool may_wait(std::string_view token) const override;
  // Whether the token has not ended meanwhile.
  bool still_holds(const TokenIdentity& identity) const override;
  // Calls off what waits. From any thread.
  void stop();

 private:
  struct Known {
    JwtIssuer issuer;
    std::unique_ptr<IssuerKeys> keys;
  };

  JwtIssuers(http::LoopGroup& loops, Clock& clock, std::vector<std::string> api_audiences)
      : loops_(loops), clock_(clock), api_audiences_(std::move(api_audiences)) {}

  // Null where it is none of ours.
  const Known* find(std::string_view issuer) const;
  Result<TokenIdentity> verify(const Known& known, std::string_view token, api::View claims) const;
  Result<void> check_signature(const Known& known, const TokenSignature& signature) const;

  http::LoopGroup& loops_;
  const Clock& clock_;
  const std::vector<std::string> api_audiences_;
  std::vector<Known> issuers_;
};

}  // namespace proa::apiserver
