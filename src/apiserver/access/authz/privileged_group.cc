#include "apiserver/access/authz/privileged_group.h"

namespace proa::apiserver {

Verdict PrivilegedGroup::authorize(const Attributes& attributes) {
  if (attributes.user == nullptr || !attributes.user->in_group(group_)) return {};
  return {Decision::kAllow};
}

void PrivilegedGroup::list_rules(const User& /*user*/, std::string_view /*name_space*/,
                                 RuleList& /*rules*/) {}

}  // namespace proa::apiserver
