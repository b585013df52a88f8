#include "kinds/core/quota/usage/scopes.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::kinds::quota {

bool ScopeRule::selects(const std::set<std::string, std::less<>>& present) const {
  if (operation == "Exists") return !present.empty();
  if (operation == "DoesNotExist") return present.empty();
  const auto is_listed = [this](const std::string& name) {
    return std::find(values.begin(), values.end(), name) != values.end();
  };
  if (operation == "In") return std::any_of(present.begin(), present.end(), is_listed);
  // One unlisted value suffices, as in upstream's pvcMatchesSelector.
  return operation == "NotIn" &&
         (present.empty() || !std::all_of(present.begin(), present.end(), is_listed));
}

std::string ScopeRule::text() const {
  return "{" + scope + " " + operation + " [" + join(values, " ") + "]}";
}

ScopeRule read_scope_rule(api::View requirement) {
  ScopeRule rule{.scope = std::string(requirement["scopeName"].text()),
                 .operation = std::string(requirement["operator"].text()),
                 .values = {}};
  for (const api::View value : requirement["values"].items())
    rule.values.emplace_back(value.text());
  return rule;
}

std::vector<ScopeRule> scope_rules_of(api::View spec) {
  std::vector<ScopeRule> rules;
  for (const api::View scope : spec["scopes"].items()) {
    rules.push_back({.scope = std::string(scope.text()), .operation = "Exists", .values = {}});
  }
  for (const api::View requirement : spec["scopeSelector"]["matchExpressions"].items()) {
    rules.push_back(read_scope_rule(requirement));
  }
  return rules;
}

}  // namespace proa::kinds::quota
