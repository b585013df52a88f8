#include "apiserver/access/authz/rbac/rbac.h"

namespace proa::apiserver {

Verdict RbacAuthorizer::authorize(const Attributes& attributes) {
  if (attributes.user == nullptr) return {};
  const AccessQuestion question(attributes);
  return index_.read([&](const AccessTable& table) -> Verdict {
    Verdict verdict;
    std::vector<RoleName> missing;
    table.each_grant(*attributes.user, attributes.name_space, [&](const AccessTable::Grant& grant) {
      if (grant.role == nullptr) {
        missing.push_back(grant.binding.role);
        return true;
      }
      if (!grant.role->allows(question)) return true;
      verdict = {Decision::kAllow, "RBAC: allowed by " + grant.binding.describe(grant.subject)};
      return false;
    });
    if (!verdict.allowed() && !missing.empty()) {
      verdict.reason = "RBAC: " + describe_missing(missing, MissingWords::kSingular);
    }
    return verdict;
  });
}

void RbacAuthorizer::list_rules(const User& user, std::string_view name_space, RuleList& rules) {
  const HeldRoles held = index_.held_by(user, name_space);
  for (const PolicyRule* rule : held.rules()) {
    if (!rule->resources.empty()) {
      rules.resources.push_back({.verbs = rule->verbs,
                                 .groups = rule->groups,
                                 .resources = rule->resources,
                                 .names = rule->names});
    }
    if (!rule->paths.empty()) rules.paths.push_back({.verbs = rule->verbs, .paths = rule->paths});
  }
  if (held.missing.empty()) return;
  if (!rules.error.empty()) rules.error += ", ";
  rules.error += describe_missing(held.missing, MissingWords::kSingular);
}

}  // namespace proa::apiserver
