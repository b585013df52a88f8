#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"

// Quotas may be for some objects only: those within all of their scopes.

namespace proa::kinds::quota {

struct ScopeRule {
  std::string scope;      // "BestEffort", "PriorityClass"
  std::string operation;  // In, NotIn, Exists, DoesNotExist
  std::vector<std::string> values;

  // By what the object has of this kind: the name of its priority class, or of several classes.
  bool selects(const std::set<std::string, std::less<>>& present) const;
  // "{PriorityClass In [high]}", as Go prints it
  std::string text() const;
};

ScopeRule read_scope_rule(api::View requirement);
// Of a ResourceQuota's spec: its scopes and its scopeSelector.
std::vector<ScopeRule> scope_rules_of(api::View spec);

}  // namespace proa::kinds::quota
