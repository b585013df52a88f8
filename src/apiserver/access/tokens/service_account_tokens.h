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

// An object, and which of those that had its name.
struct NamedObject {
  std::string name;
  std::string uid;

  bool operator==(const NamedObject&) const = default;
};

// What a token of a service account says. Times are whole seconds.
struct ServiceAccountClaims {
  std::string name_space;
  NamedObject service_account;
  // What it is bound to: it ends with that object. A node goes with a pod, too.
  std::optional<NamedObject> pod;
  std::optional<NamedObject> secret;
  std::optional<NamedObject> node;
  std::vector<std::string> audiences;
  std::string id;
  Time issued;
  Time expires;
  // Whoever still uses it then does not read renewed ones, as it should.
  std::optional<Time> warn_after;

  // "system:serviceaccount:NAMESPACE:NAME"
  std::string user_name() const;
  bool operator==(const ServiceAccountClaims&) const = default;
};

// Makes and checks tokens of service accounts. Immutable; for any thread.
class ServiceAccountTokens {
 public:
  struct Options {
    std::string issuer = "https://kubernetes.default.svc.cluster.local";
    std::vector<std::string> audiences;  // of this server; empty: the issuer
    // The first is private, and signs; the others, as PEM too, are still accepted.
    std::vector<std::string> keys;
  };
  // kInvalid for keys that can't be used.
  static Result<std::unique_ptr<const ServiceAccountTokens>> make(const Options& options);

  // Whom tokens are for that name nobody.
  const std::vector<std::string>& audiences() const { return audiences_; }
  const std::string& issuer() const { return issuer_; }
  // Public ones, for who checks tokens himself.
  std::span<const std::unique_ptr<const TokenKey>> keys() const { return keys_; }

  Result<std::string> issue(const ServiceAccountClaims& claims) const;
  // What a token says that this server issued, that is meant for one of `audiences` and whose time
  // it is. Whether its account and what it is bound to are still there is for the caller to see.
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
