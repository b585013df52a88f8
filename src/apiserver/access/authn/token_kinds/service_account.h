#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/schema.h"
#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/tokens/service_account_tokens.h"
#include "base/clock.h"
#include "store/store.h"

namespace proa::apiserver {

struct ServiceAccountName {
  std::string_view name_space;
  std::string_view name;
};
// Of "system:serviceaccount:NAMESPACE:NAME"; nullopt for other users.
std::optional<ServiceAccountName> service_account_of(std::string_view user_name);
// system:serviceaccounts, and those of the namespace.
std::vector<std::string> service_account_groups(std::string_view name_space);

// An object in the store that a token goes by.
struct TokenAnchor {
  std::string key;
  std::string uid;           // it must still be the one with this uid
  store::Revision revision;  // not zero: it must not have changed at all
};

// Tokens of service accounts: those that TokenRequests issue, and the older ones in Secrets, which
// have no end. Signatures are checked once in a while, everything else with every request: the
// account, and what the token is bound to, are looked up in the store.
class ServiceAccountAuthenticator final : public TokenAuthenticator {
 public:
  // Everything outlives it.
  ServiceAccountAuthenticator(const ServiceAccountTokens& tokens, const store::Store& store,
                              const api::Schema& schema, const Clock& clock);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  bool still_holds(const TokenIdentity& identity) const override;

 private:
  Result<TokenIdentity> authenticate_issued(std::string_view token,
                                            std::span<const std::string> audiences) const;
  Result<TokenIdentity> authenticate_older(std::string_view token,
                                           std::span<const std::string> audiences) const;
  Result<void> check_account(const ServiceAccountClaims& claims, const TokenAnchor& anchor) const;
  // `what`: "pod".
  Result<void> check_bound(std::string_view what, const TokenAnchor& anchor) const;

  const ServiceAccountTokens& tokens_;
  const store::Store& store_;
  const Clock& clock_;
  // Where their keys begin.
  const std::string accounts_;
  const std::string pods_;
  const std::string nodes_;
  const std::string secrets_;
};

}  // namespace proa::apiserver
