#pragma once

#include <string>
#include <vector>

#include "apiserver/access/authn/authenticator.h"

namespace proa::apiserver {

// Where callers are let in who show nothing. What they may do there is still for authorizers to
// say.
enum class AnonymousScope : uint8_t {
  kNowhere,     // --anonymous-auth=false
  kHealth,      // /livez, /readyz, /healthz and what lies below them; /version
  kPaths,       // the paths that are listed, and nothing below them
  kEverywhere,  // --anonymous-auth=true
};

struct AnonymousOptions {
  AnonymousScope scope = AnonymousScope::kHealth;
  std::vector<std::string> paths = {};
};

// Calls whoever shows nothing system:anonymous. REQUIRES: asked last, and only when nobody found
// wrong what was shown.
class Anonymous final : public Authenticator {
 public:
  explicit Anonymous(AnonymousOptions options);
  // Null where it has to be somebody.
  Result<UserPtr> authenticate(const Credentials& credentials) override;

 private:
  bool is_open(std::string_view path) const;

  const AnonymousOptions options_;
  const UserPtr user_;
};

}  // namespace proa::apiserver
