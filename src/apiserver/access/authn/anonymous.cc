#include "apiserver/access/authn/anonymous.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::apiserver {
namespace anonymous {

constexpr std::string_view kHealthPaths[] = {"/livez", "/readyz", "/healthz"};

UserPtr anonymous_user() {
  auto user = std::make_shared<User>();
  user->name = kAnonymousUser;
  user->groups.emplace_back(kUnauthenticated);
  return user;
}

// Rejects ".." segments: "/livez/../api" must not count as a subpath of /livez.
bool stays_below(std::string_view rest) {
  const std::vector<std::string_view> segments = split(rest, '/');
  return std::none_of(segments.begin(), segments.end(), [](std::string_view segment) {
    return segment == "." || segment == ".." || segment.find_first_of("%\\") != segment.npos;
  });
}

bool is_health(std::string_view path) {
  if (path == "/version") return true;
  return std::any_of(std::begin(kHealthPaths), std::end(kHealthPaths), [&](std::string_view root) {
    if (!path.starts_with(root)) return false;
    const std::string_view rest = path.substr(root.size());
    return rest.empty() || (rest[0] == '/' && stays_below(rest));
  });
}

}  // namespace anonymous

Anonymous::Anonymous(AnonymousOptions options)
    : options_(std::move(options)), user_(anonymous::anonymous_user()) {}

bool Anonymous::is_open(std::string_view path) const {
  switch (options_.scope) {
    case AnonymousScope::kNowhere:
      return false;
    case AnonymousScope::kHealth:
      return anonymous::is_health(path);
    case AnonymousScope::kPaths:
      return std::find(options_.paths.begin(), options_.paths.end(), path) != options_.paths.end();
    case AnonymousScope::kEverywhere:
      return true;
  }
  return false;
}

Result<UserPtr> Anonymous::authenticate(const Credentials& credentials) {
  return is_open(credentials.path) ? user_ : UserPtr();
}

}  // namespace proa::apiserver
