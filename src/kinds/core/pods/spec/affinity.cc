#include "kinds/core/pods/spec/affinity.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/validation/metadata.h"
#include "kinds/core/placement/node_selector_validation.h"

namespace proa::kinds::pods {

namespace affinity {

void check_weight(View term, const Path& path, FieldErrors& errors) {
  const int64_t weight = term["weight"].integer();
  if (weight <= 0 || weight > 100)
    errors.invalid(path.field("weight"), weight, "must be in the range 1-100");
}

void check_label_keys(View keys, View selector, const Path& path, FieldErrors& errors) {
  if (keys.empty()) return;
  if (!selector.exists())
    return errors.forbidden(path, "must not be specified when labelSelector is not set");
  each(keys, path,
       [&](View key, const Path& at) { check_text(key, api::check_qualified_name, at, errors); });
}

// On creation, the pod's values for these keys are added to the selector, so a duplicate key was in
// both places.
void check_keys_and_selector(View keys, View selector, const Path& path, FieldErrors& errors) {
  std::map<std::string_view, size_t> places;
  size_t index = 0;
  for (const View key : keys.items()) places.insert_or_assign(key.text(), index++);
  std::set<std::string_view> seen;
  for (const json::Member& label : selector["matchLabels"].members()) seen.insert(label.key);
  for (const View expression : selector["matchExpressions"].items()) {
    const std::string_view key = expression["key"].text();
    const auto place = places.find(key);
    if (!seen.insert(key).second && place != places.end()) {
      errors.invalid(path.index(place->second), key,
                     "exists in both matchLabelKeys and labelSelector");
    }
  }
}

void check_match_label_keys(View owner, const Path& path, FieldErrors& errors) {
  const View selector = owner["labelSelector"];
  const View keys = owner["matchLabelKeys"];
  const View other_keys = owner["mismatchLabelKeys"];
  const Path keys_path = path.field("matchLabelKeys");
  check_label_keys(keys, selector, keys_path, errors);
  check_label_keys(other_keys, selector, path.field("mismatchLabelKeys"), errors);
  check_keys_and_selector(keys, selector, path, errors);
  std::set<std::string_view> others;
  for (const View key : other_keys.items()) others.insert(key.text());
  each(keys, keys_path, [&](View key, const Path& at) {
    if (others.contains(key.text()))
      errors.invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys");
  });
}

void check_pod_term(View term, const Path& path, FieldErrors& errors) {
  for (const std::string_view selector : {"labelSelector", "namespaceSelector"})
    api::validate_label_selector(term[selector], path.field(selector), errors);
  for (const View name : term["namespaces"].items())
    check_text(name, api::check_dns1123_label, path.field("namespace"), errors);
  check_match_label_keys(term, path, errors);
  if (term["topologyKey"].text().empty())
    errors.required(path.field("topologyKey"), "can not be empty");
  check_text(term["topologyKey"], api::check_qualified_name, path.field("topologyKey"), errors);
}

void check_pod_affinity(View terms, const Path& path, FieldErrors& errors) {
  each(terms["requiredDuringSchedulingIgnoredDuringExecution"],
       path.field("requiredDuringSchedulingIgnoredDuringExecution"),
       [&](View term, const Path& at) { check_pod_term(term, at, errors); });
  each(terms["preferredDuringSchedulingIgnoredDuringExecution"],
       path.field("preferredDuringSchedulingIgnoredDuringExecution"),
       [&](View term, const Path& at) {
         check_weight(term, at, errors);
         check_pod_term(term["podAffinityTerm"], at.field("podAffinityTerm"), errors);
       });
}

void check_node_affinity(View node, const Path& path, FieldErrors& errors) {
  if (const View required = node["requiredDuringSchedulingIgnoredDuringExecution"];
      required.exists()) {
    validate_node_selector(required, path.field("requiredDuringSchedulingIgnoredDuringExecution"),
                           errors);
  }
  each(node["preferredDuringSchedulingIgnoredDuringExecution"],
       path.field("preferredDuringSchedulingIgnoredDuringExecution"),
       [&](View term, const Path& at) {
         check_weight(term, at, errors);
         validate_preferred_node_term(term["preference"], at.field("preference"), errors);
       });
}

void check_positive(View number, const Path& path, FieldErrors& errors) {
  if (number.integer() <= 0) errors.invalid(path, number.integer(), "must be greater than zero");
}

void check_constraint(View constraint, const Path& path, FieldErrors& errors) {
  const std::string_view action = constraint["whenUnsatisfiable"].text();
  check_positive(constraint["maxSkew"], path.field("maxSkew"), errors);
  if (constraint["topologyKey"].text().empty())
    errors.required(path.field("topologyKey"), "can not be empty");
  if (!contains({"DoNotSchedule", "ScheduleAnyway"}, action)) {
    errors.not_supported(path.field("whenUnsatisfiable"), action,
                         {"DoNotSchedule", "ScheduleAnyway"});
  }
  if (const View domains = constraint["minDomains"]; domains.exists()) {
    const Path at = path.field("minDomains");
    check_positive(domains, at, errors);
    if (action != "DoNotSchedule") {
      errors.invalid(
          at, domains,
          fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}",
                      action));
    }
  }
  for (const std::string_view policy : {"nodeAffinityPolicy", "nodeTaintsPolicy"})
    check_one_of(constraint[policy], {"Honor", "Ignore"}, path.field(policy), errors);
  check_match_label_keys(constraint, path, errors);
  api::validate_label_selector(constraint["labelSelector"], path.field("labelSelector"), errors);
}

}  // namespace affinity

void validate_affinity(View affinity, const Path& path, FieldErrors& errors) {
  affinity::check_node_affinity(affinity["nodeAffinity"], path.field("nodeAffinity"), errors);
  affinity::check_pod_affinity(affinity["podAffinity"], path.field("podAffinity"), errors);
  affinity::check_pod_affinity(affinity["podAntiAffinity"], path.field("podAntiAffinity"), errors);
}

void validate_topology_spread(View constraints, const Path& path, FieldErrors& errors) {
  const auto kind = [](View constraint) {
    return std::pair(constraint["topologyKey"].text(), constraint["whenUnsatisfiable"].text());
  };
  std::map<std::pair<std::string_view, std::string_view>, size_t> left;  // how many of that kind
  for (const View constraint : constraints.items()) ++left[kind(constraint)];
  each(constraints, path, [&](View constraint, const Path& at) {
    affinity::check_constraint(constraint, at, errors);
    if (--left[kind(constraint)] > 0) {
      errors.duplicate(at.field("{topologyKey, whenUnsatisfiable}"),
                       fmt::format("{{{}, {}}}", kind(constraint).first, kind(constraint).second));
    }
  });
}

}  // namespace proa::kinds::pods
