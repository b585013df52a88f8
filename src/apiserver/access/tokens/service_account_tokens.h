#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/tokens/keys.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::apiserver {

// A name, and the uid of the object that had it.
struct NamedObject {
  std::string name;
  std::string uid;

  bool operator==(const NamedObject&) const = default;
};

// The claims of a service account token. Times have a resolution of one second.
struct ServiceAccountClaims {
  std::string name_space;
  NamedObject service_account;
  // The objects to which the token is bound: it is invalid once they are deleted. A pod's token
  // also names its node.
  std::optional<NamedObject> pod;
  std::optional<NamedObject> secret;
  std::optional<NamedObject> node;
  std::vector<std::string> audiences;
  std::string id;
  Time issued;
  Time expires;
  // A client that uses the token after this time does not reload renewed tokens as it should.
  std::optional<Time> warn_after;

  // "system:serviceaccount:NAMESPACE:NAME"
  std::string user_name() const;
  bool operator==(const ServiceAccountClaims&) const = default;
};

// Issues and verifies service account tokens. Immutable, thread-safe.
class ServiceAccountTokens {
 public:
  struct Options {
    std::string issuer = "https://kubernetes.default.svc.cluster.local";
    std::vector<std::string> audiences;  // of this server; empty: only the issuer
    // PEM. The first is a private key and signs; the others are only accepted.
    std::vector<std::string> keys;
  };
  // Fails with kInvalid for unusable keys.
  static Result<std::unique_ptr<const ServiceAccountTokens>> make(const Options& options);

  // The default audiences of tokens.
  const std::vector<std::string>& audiences() const { return audiences_; }
  const std::string& issuer() const { return issuer_; }
  // The public keys, for clients that verify tokens themselves.
  std::span<const std::unique_ptr<const TokenKey>> keys() const { return keys_; }

  Result<std::string> issue(const ServiceAccountClaims& claims) const;
  // Returns the claims of a token that this server issued, for one of `audiences`, valid now. The
  // caller checks that the account and the objects to which it is bound exist. Fails with
  // kUnauthorized.
  Result<ServiceAccountClaims> verify(std::string_view token,
                                      std::span<const std::string> audiences, Time now) const;

 private:
  ServiceAccountTokens() = default;

  std::string issuer_;
  std::vector<std::string> audiences_;
  std::vector<std::unique_ptr<const TokenKey>> keys_;
};

}  // namespace proa::apiserver
