#pragma once

#include <span>
#include <string>
#include <vector>

#include "kinds/rbac/rule.h"

namespace proa::apiserver {

using kinds::PolicyRule;

// The permissions that some rules grant and others do not, as rules of one verb on one resource
// (and one resource name, if any) or one path each.
struct MissingRules {
  std::vector<PolicyRule> rules;
  // There may be more: the comparison stopped at a limit, since a small document can state too many
  // permissions to enumerate.
  bool more = false;

  bool none() const { return rules.empty() && !more; }
};

// Returns what of `wanted` is not covered by `held`. As upstream's validation.Covers: a permission
// is held if a single rule covers it; "*" is covered only by "*".
MissingRules missing_rules(std::span<const PolicyRule* const> held,
                           std::span<const PolicyRule> wanted);

// One line per resource or path, sorted; for messages.
std::string describe(const MissingRules& missing);

}  // namespace proa::apiserver
