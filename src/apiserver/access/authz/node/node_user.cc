#include "apiserver/access/authz/node/node_user.h"

namespace proa::apiserver {

std::optional<std::string_view> node_of(const User& user) {
  constexpr std::string_view kPrefix = "system:node:";
  if (!user.name.starts_with(kPrefix) || !user.in_group("system:nodes")) return std::nullopt;
  return std::string_view(user.name).substr(kPrefix.size());
}

}  // namespace proa::apiserver
