#pragma once

#include <string>
#include <vector>

#include "apiserver/access/authn/authenticator.h"

namespace proa::apiserver {

// Where anonymous requests are accepted. Authorization still decides what they may do.
enum class AnonymousScope : uint8_t {
  kNowhere,     // --anonymous-auth=false
  kHealth,      // /livez, /readyz, /healthz and their subpaths; /version
  kPaths,       // exactly the listed paths, no subpaths
  kEverywhere,  // --anonymous-auth=true
};

struct AnonymousOptions {
  AnonymousScope scope = AnonymousScope::kHealth;
  std::vector<std::string> paths = {};

  bool operator==(const AnonymousOptions&) const = default;
};

// Authenticates requests without credentials as system:anonymous. REQUIRES: called last, and only
// if no other authenticator rejected the credentials.
class Anonymous final : public Authenticator {
 public:
  explicit Anonymous(AnonymousOptions options);
  // Returns null where anonymous requests are not accepted.
  Result<UserPtr> authenticate(const Credentials& credentials) override;

 private:
  bool is_open(std::string_view path) const;

  const AnonymousOptions options_;
  const UserPtr user_;
};

}  // namespace proa::apiserver
