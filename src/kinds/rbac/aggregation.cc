#include "kinds/rbac/aggregation.h"

#include <set>
#include <string>
#include <unordered_set>

#include "api/selector/label_selector.h"
#include "base/text/seeded_hash.h"
#include "kinds/rbac/rule.h"

namespace proa::kinds {
namespace aggregation {

using api::Edit;
using api::View;

View selectors_of(View role) { return role["aggregationRule"]["clusterRoleSelectors"]; }

// The rules of one role, without duplicates of earlier ones.
void gather(View role, std::unordered_set<std::string, SeededHash>& seen,
            std::vector<View>& rules) {
  for (const View rule : role["rules"].items()) {
    if (seen.insert(describe(read_rule(rule))).second) rules.push_back(rule);
  }
}

bool same(const std::vector<View>& rules, View stored) {
  if (rules.size() != stored.size()) return false;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (read_rule(rules[i]) != read_rule(stored.item(i))) return false;
  }
  return true;
}

}  // namespace aggregation

Result<bool> aggregate_rules(api::Edit role, std::span<const api::View> roles) {
  using api::View;
  const std::string_view name = role["metadata"]["name"].text();
  std::vector<View> rules;
  std::unordered_set<std::string, SeededHash> seen;
  for (const View selector : aggregation::selectors_of(role.view()).items()) {
    const api::LabelSelector wanted = TRY(api::LabelSelector::from(selector));
    for (const View other : roles) {
      if (other["metadata"]["name"].text() == name) continue;
      if (wanted.matches(other["metadata"]["labels"])) aggregation::gather(other, seen, rules);
    }
  }
  if (aggregation::same(rules, role["rules"])) return false;
  json::Value list = json::Value::array();
  for (const View rule : rules) list.push_back(role.arena(), rule.value()->copy(role.arena()));
  role.set("rules", std::move(list));
  return true;
}

std::vector<size_t> aggregate_all(std::span<const api::Edit> roles) {
  std::vector<api::View> views;
  std::vector<size_t> gathering;
  for (size_t i = 0; i < roles.size(); ++i) {
    views.push_back(roles[i].view());
    if (roles[i]["aggregationRule"].exists()) gathering.push_back(i);
  }
  std::set<size_t> changed;
  // Rules pass on by one role in a round, or more; those that choose each other in a circle might
  // never come to an end.
  bool again = true;
  for (size_t round = 0; again && round <= gathering.size(); ++round) {
    again = false;
    for (const size_t index : gathering) {
      const Result<bool> result = aggregate_rules(roles[index], views);
      if (!result.ok() || !*result) continue;
      changed.insert(index);
      again = true;
    }
  }
  return {changed.begin(), changed.end()};
}

}  // namespace proa::kinds
