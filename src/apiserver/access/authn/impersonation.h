#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authz/authorizer.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

// The user that a request acts as.
struct Impersonated {
  UserPtr user;
  // The verb that allowed it, for audit; empty: plain "impersonate".
  std::string constraint;
};

// Authorizes impersonation (Impersonate-* headers). It requires either plain "impersonate" on
// users, groups, serviceaccounts, uids and userextras, or constrained impersonation:
// "impersonate:MODE" on the user and "impersonate-on:MODE:VERB" on the requested resource (feature
// gate ConstrainedImpersonation, enabled). Thread-safe; blocks when the authorizer does.
class Impersonation {
 public:
  // REQUIRES: `authorizer` outlives it.
  explicit Impersonation(Authorizer& authorizer) : authorizer_(authorizer) {}

  // Returns nullopt without impersonation headers. Fails with kBadRequest or kForbidden.
  // `attributes` are the request's, with the authenticated user.
  Result<std::optional<Impersonated>> impersonate(const http::Headers& headers,
                                                  const Attributes& attributes);

 private:
  std::optional<size_t> last_mode(const User& caller) const EXCLUDES(mutex_);
  void keep_mode(const User& caller, size_t mode) EXCLUDES(mutex_);

  Authorizer& authorizer_;
  mutable Mutex mutex_;
  // The mode that last succeeded for a caller, by the hash of its name. It is tried first, since
  // most callers use only one.
  std::unordered_map<size_t, uint8_t> modes_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
