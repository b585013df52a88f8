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
// Parses "system:serviceaccount:NAMESPACE:NAME"; nullopt for other users.
std::optional<ServiceAccountName> service_account_of(std::string_view user_name);
// system:serviceaccounts and the namespace's group.
std::vector<std::string> service_account_groups(std::string_view name_space);

// A stored object that a token depends on.
struct TokenAnchor {
  std::string key;
  std::string uid;           // the object must still have this uid
  store::Revision revision;  // nonzero: the object must be unchanged
};

// Service account tokens: those issued by TokenRequests and legacy ones in Secrets, which do not
// expire. Signatures are verified once per cache period. Every request checks in the store that the
// account and the objects to which the token is bound still exist.
class ServiceAccountAuthenticator final : public TokenAuthenticator {
 public:
  // REQUIRES: all arguments outlive it.
  ServiceAccountAuthenticator(const ServiceAccountTokens& tokens, store::Store& store,
                              const api::Schema& schema, const Clock& clock);

  Result<std::optional<TokenIdentity>> authenticate(
      std::string_view token, std::span<const std::string> audiences) override;
  bool still_holds(const TokenIdentity& identity) const override;
  void write_metrics(MetricsText& text) const override;

 private:
  // Tokens that were used, counted once per cache period.
  struct Uses {
    Counter legacy;       // that name no audience
    Counter valid;        // to be refreshed later
    Counter stale;        // should have been refreshed
    Counter manual;       // from Secrets that users created
    Counter generated;    // from generated ones
    Counter invalidated;  // from those that are marked as invalid
  };
  Result<TokenIdentity> authenticate_issued(std::string_view token,
                                            std::span<const std::string> audiences) const;
  Result<TokenIdentity> authenticate_older(std::string_view token,
                                           std::span<const std::string> audiences) const;
  Result<void> check_account(const ServiceAccountClaims& claims, const TokenAnchor& anchor) const;
  // `what`: "pod".
  Result<void> check_bound(std::string_view what, const TokenAnchor& anchor) const;

  const ServiceAccountTokens& tokens_;
  store::Store& store_;
  const Clock& clock_;
  // Store key prefixes.
  const std::string accounts_;
  const std::string pods_;
  const std::string nodes_;
  const std::string secrets_;
  const api::Type& secret_type_;
  mutable Uses uses_;
};

}  // namespace proa::apiserver
