#pragma once

#include <span>
#include <string>
#include <vector>

#include "kinds/rbac/rule.h"

namespace proa::apiserver {

using kinds::PolicyRule;

// What some rules allow and others don't, as rules of one verb on one resource (with one name, if
// it is about names) or one path each.
struct MissingRules {
  std::vector<PolicyRule> rules;
  // There is more, or may be: comparing ended at a limit, since a small document can state more
  // permissions than anybody could count.
  bool more = false;

  bool none() const { return rules.empty() && !more; }
};

// What of `wanted` is not among `held`. The answer of upstream's validation.Covers: a permission is
// held when a single rule covers it; "*" is held only by those who have "*".
MissingRules missing_rules(std::span<const PolicyRule* const> held,
                           std::span<const PolicyRule> wanted);

// One line for each resource or path, sorted: for messages.
std::string describe(const MissingRules& missing);

}  // namespace proa::apiserver
