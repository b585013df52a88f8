#include "kinds/scheduling/priority_class.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/metadata.h"

namespace proa::kinds {

namespace priority_class {

constexpr int64_t kHighestOfUsers = 1'000'000'000;
constexpr int64_t kSystemCritical = 2 * kHighestOfUsers;
constexpr std::string_view kSystemPrefix = "system-";

constexpr SystemPriorityClass kSystemClasses[] = {
    {"system-node-critical", kSystemCritical + 1000,
     "Used for system critical pods that must not be moved from their current node."},
    {"system-cluster-critical", kSystemCritical,
     "Used for system critical pods that must run in the cluster, but can be moved to another node "
     "if necessary."},
};

// Why the class is not a system class; empty if it is one.
std::string system_problem(View object, std::string_view name) {
  for (const SystemPriorityClass& known : kSystemClasses) {
    if (known.name != name) continue;
    if (object["value"].integer() != known.value)
      return fmt::format("value of {} PriorityClass must be {}", name, known.value);
    if (object["globalDefault"].flag())
      return fmt::format("globalDefault of {} PriorityClass must be false", name);
    return "";
  }
  return fmt::format("{} is not a known system priority class", name);
}

void validate_create(View object, api::FieldErrors& errors) {
  const std::string_view name = object["metadata"]["name"].text();
  if (name.starts_with(kSystemPrefix)) {
    const std::string problem = system_problem(object, name);
    if (!problem.empty()) {
      errors.forbidden(api::Path("metadata.name"),
                       "priority class names with 'system-' prefix are reserved for system use "
                       "only. error: " +
                           problem);
    }
  } else if (object["value"].integer() > kHighestOfUsers) {
    errors.forbidden(
        api::Path("value"),
        fmt::format("maximum allowed value of a user defined priority is {}", kHighestOfUsers));
  }
  const View policy = object["preemptionPolicy"];
  const api::Path path("preemptionPolicy");
  if (policy.exists() && policy.text().empty()) {
    errors.required(path);
  } else {
    constexpr std::string_view kPolicies[] = {"PreemptLowerPriority", "Never"};
    api::validate_enum(policy, kPolicies, path, errors);
  }
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  if (object["value"].integer() != old["value"].integer())
    errors.forbidden(api::Path("value"), "may not be changed in an update.");
  api::validate_immutable(object["preemptionPolicy"], old["preemptionPolicy"],
                          api::Path("preemptionPolicy"), errors);
}

std::string_view undeletable(std::string_view name) {
  for (const SystemPriorityClass& known : kSystemClasses) {
    if (known.name == name) return "this is a system priority class and cannot be deleted";
  }
  return {};
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Value", .type = "integer", .description = "The larger the more important."},
    {.name = "Global-Default",
     .type = "boolean",
     .description = "Whether pods without a class get it."},
    {.name = "Age"},
    {.name = "PreemptionPolicy", .description = "Whether its pods drive others out."},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.number(object["value"].integer());
  cells.flag(object["globalDefault"].flag());
  cells.age(object["metadata"]["creationTimestamp"]);
  cells.text(object["preemptionPolicy"].text());
}

}  // namespace priority_class

std::span<const SystemPriorityClass> system_priority_classes() {
  return priority_class::kSystemClasses;
}

KindRules priority_class_rules() {
  return {
      .kind = "scheduling.k8s.io/v1/PriorityClass",
      .validate_create = priority_class::validate_create,
      .validate_update = priority_class::validate_update,
      .undeletable = priority_class::undeletable,
      .columns = priority_class::kColumns,
      .row = priority_class::row,
  };
}

}  // namespace proa::kinds
