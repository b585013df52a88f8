#include "apiserver/access/authn/authenticator.h"

#include <algorithm>

namespace proa::apiserver {

void join_authenticated(User& user) {
  if (user.name == kAnonymousUser || user.in_group(kAuthenticated) ||
      user.in_group(kUnauthenticated)) {
    return;
  }
  user.groups.emplace_back(kAuthenticated);
}

std::vector<std::string> in_both(std::span<const std::string> some,
                                 std::span<const std::string> others) {
  std::vector<std::string> both;
  for (const std::string& one : some) {
    if (std::find(others.begin(), others.end(), one) != others.end()) both.push_back(one);
  }
  return both;
}

}  // namespace proa::apiserver
