#include "apiserver/access/authz/policy/merge.h"

#include <algorithm>

#include "apiserver/access/authz/rbac/coverage.h"

namespace proa::apiserver {
namespace merge {

using api::Edit;
using api::View;

bool is_protected(View object) {
  const View annotations = object["metadata"]["annotations"];
  return annotations["rbac.authorization.kubernetes.io/autoupdate"].text() == "false";
}

// Adds missing labels or annotations; existing ones take precedence.
bool add_pairs(Edit object, View wanted, std::string_view field) {
  bool changed = false;
  for (const json::Member& pair : wanted["metadata"][field].members()) {
    if (object["metadata"][field][pair.key].exists()) continue;
    object.object("metadata").object(field).copy(pair.key, pair.value);
    changed = true;
  }
  return changed;
}

bool add_metadata(Edit object, View wanted) {
  const bool labels = add_pairs(object, wanted, "labels");
  return add_pairs(object, wanted, "annotations") || labels;
}

void set_texts(Edit rule, std::string_view field, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    rule.array(field).push(json::Value::string(rule.arena(), text));
  }
}

bool add_rules(Edit object, View wanted) {
  if (object["rules"] == wanted) return false;
  const std::vector<PolicyRule> held = kinds::read_rules(object["rules"]);
  std::vector<const PolicyRule*> pointers;
  for (const PolicyRule& rule : held) pointers.push_back(&rule);
  const MissingRules missing = missing_rules(pointers, kinds::read_rules(wanted));
  for (const PolicyRule& rule : missing.rules) {
    const Edit added = object.array("rules").push_object();
    set_texts(added, "verbs", rule.verbs);
    set_texts(added, "apiGroups", rule.groups);
    set_texts(added, "resources", rule.resources);
    set_texts(added, "resourceNames", rule.names);
    set_texts(added, "nonResourceURLs", rule.paths);
  }
  return !missing.rules.empty();
}

// Appends the items that have no equal in the list.
template <typename Equal>
bool add_items(Edit owner, std::string_view field, View wanted, Equal equal) {
  bool changed = false;
  for (const View item : wanted.items()) {
    const auto has = owner[field].items();
    if (std::any_of(has.begin(), has.end(), [&](View one) { return equal(one, item); })) continue;
    owner.array(field).push(item.value()->copy(owner.arena()));
    changed = true;
  }
  return changed;
}

bool add_selectors(Edit object, View wanted) {
  if (!wanted.exists()) {
    // An aggregated role has no rules of its own: aggregation must be removed.
    if (!object["aggregationRule"].exists()) return false;
    object.remove("aggregationRule");
    return true;
  }
  return add_items(object.object("aggregationRule"), "clusterRoleSelectors",
                   wanted["clusterRoleSelectors"], [](View a, View b) { return a == b; });
}

bool same_subject(View a, View b) {
  return std::ranges::all_of(
      std::initializer_list<std::string_view>{"kind", "apiGroup", "name", "namespace"},
      [&](std::string_view field) { return a[field].text() == b[field].text(); });
}

}  // namespace merge

Merged merge_role(api::Edit object, api::View wanted) {
  if (merge::is_protected(object.view())) return Merged::kSame;
  bool changed = merge::add_metadata(object, wanted);
  if (merge::add_rules(object, wanted["rules"])) changed = true;
  if (merge::add_selectors(object, wanted["aggregationRule"])) changed = true;
  return changed ? Merged::kChanged : Merged::kSame;
}

Merged merge_binding(api::Edit object, api::View wanted) {
  if (merge::is_protected(object.view())) return Merged::kSame;
  if (object["roleRef"] != wanted["roleRef"]) return Merged::kReplace;
  bool changed = merge::add_metadata(object, wanted);
  if (merge::add_items(object, "subjects", wanted["subjects"], merge::same_subject)) changed = true;
  return changed ? Merged::kChanged : Merged::kSame;
}

}  // namespace proa::apiserver
