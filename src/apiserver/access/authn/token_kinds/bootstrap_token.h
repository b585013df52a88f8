#pragma once

#include <string>

#include "api/schema/schema.h"
#include "apiserver/access/authn/authenticator.h"
#include "base/clock.h"
#include "store/store.h"

namespace proa::apiserver {

// Bootstrap tokens, with which nodes join: ID.SECRET, stored in the Secret bootstrap-token-ID in
// kube-system. Upstream's secrets have 16 characters, ours 32; up to 64 are accepted.
class BootstrapTokens final : public TokenAuthenticator {
 public:
  // REQUIRES: all arguments outlive it.
  BootstrapTokens(const store::Store& store, const api::Schema& schema, const Clock& clock);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  bool still_holds(const TokenIdentity& identity) const override;

 private:
  const store::Store& store_;
  const Clock& clock_;
  const std::string prefix_;  // of the store keys of these Secrets
};

}  // namespace proa::apiserver
