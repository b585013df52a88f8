#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"

// The scopes of a quota: it applies only to objects that match all of them.

namespace proa::kinds::quota {

struct ScopeRule {
  std::string scope;      // "BestEffort", "PriorityClass"
  std::string operation;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;

  // `values` are the object's own: the names of its priority class or classes.
  bool selects(const std::set<std::string, std::less<>>& present) const;
  // "{PriorityClass In [high]}", as Go prints it
  std::string text() const;
};

ScopeRule read_scope_rule(api::View requirement);
// The scopes and the scopeSelector of a ResourceQuota's spec.
std::vector<ScopeRule> scope_rules_of(api::View spec);

}  // namespace proa::kinds::quota
