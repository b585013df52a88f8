#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "apiserver/access/authn/authenticator.h"
#include "apiserver/access/authz/authorizer.h"
#include "base/threads/mutex.h"

namespace proa::apiserver {

// Who a request is to be taken for.
struct Impersonated {
  UserPtr user;
  // The verb that allowed it, as audit tells; empty: plain "impersonate".
  std::string constraint;
};

// Lets callers act as others (Impersonate-* headers) who may do so. Either by plain "impersonate"
// on users, groups, serviceaccounts, uids and userextras; or, constrained to one kind of user and
// to what is done as him, by "impersonate:MODE" on him and "impersonate-on:MODE:VERB" on what is
// asked for (gate ConstrainedImpersonation, on). For any thread; waits when the authorizer does.
class Impersonation {
 public:
  // REQUIRES: it outlives this one.
  explicit Impersonation(Authorizer& authorizer) : authorizer_(authorizer) {}

  // Nullopt: nobody else is named. kBadRequest, kForbidden. `attributes`: of the request, with the
  // caller as user.
  Result<std::optional<Impersonated>> impersonate(const http::Headers& headers,
                                                  const Attributes& attributes);

 private:
  std::optional<size_t> last_mode(const User& caller) const EXCLUDES(mutex_);
  void keep_mode(const User& caller, size_t mode) EXCLUDES(mutex_);

  Authorizer& authorizer_;
  mutable Mutex mutex_;
  // What succeeded last for a caller, by the hash of its name: most use one way only, and it is
  // tried first.
  std::unordered_map<size_t, uint8_t> modes_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
