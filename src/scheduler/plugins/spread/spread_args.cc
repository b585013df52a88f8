#include "scheduler/plugins/spread/spread_args.h"

#include <fmt/format.h>

#include "api/validation/field_errors.h"
#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::scheduler {
namespace spread_args {

using api::FieldErrors;
using api::Path;
using api::View;

std::vector<SpreadConstraint> system_constraints() {
  return {{.topology_key = "kubernetes.io/hostname", .max_skew = 3, .hard = false},
          {.topology_key = "topology.kubernetes.io/zone", .max_skew = 5, .hard = false}};
}

SpreadConstraint read_constraint(View from) {
  SpreadConstraint constraint;
  constraint.topology_key = from["topologyKey"].text();
  constraint.max_skew = static_cast<int32_t>(from["maxSkew"].integer());
  constraint.min_domains = static_cast<int32_t>(from["minDomains"].integer(1));
  constraint.hard = from["whenUnsatisfiable"].text() == "DoNotSchedule";
  constraint.honors_affinity = from["nodeAffinityPolicy"].text("Honor") == "Honor";
  constraint.honors_taints = from["nodeTaintsPolicy"].text("Ignore") == "Honor";
  return constraint;
}

void check_type(std::string_view type, View constraints, FieldErrors& errors) {
  const Path path("defaultingType");
  if (type != "System" && type != "List") {
    errors.not_supported(path, type, {"System", "List"});
  } else if (type == "System" && !constraints.empty()) {
    errors.invalid(path, type, "when .defaultConstraints are not empty");
  }
}

void check_when(std::string_view when, const Path& path, FieldErrors& errors) {
  if (when.empty()) {
    errors.required(path, "can not be empty");
  } else if (when != "DoNotSchedule" && when != "ScheduleAnyway") {
    errors.not_supported(path, when, {"DoNotSchedule", "ScheduleAnyway"});
  }
}

void check_constraint(View constraint, const Path& path, FieldErrors& errors) {
  const int64_t max_skew = constraint["maxSkew"].integer();
  if (max_skew <= 0) errors.invalid(path.field("maxSkew"), max_skew, "not in valid range (0, inf)");
  const std::string_view key = constraint["topologyKey"].text();
  if (key.empty()) {
    errors.required(path.field("topologyKey"), "can not be empty");
  } else {
    errors.invalid_each(path.field("topologyKey"), key, api::check_qualified_name(key));
  }
  check_when(constraint["whenUnsatisfiable"].text(), path.field("whenUnsatisfiable"), errors);
  if (constraint["labelSelector"].exists()) {
    errors.forbidden(path.field("labelSelector"),
                     "constraint must not define a selector, as they deduced for each pod");
  }
}

bool same_rule(View a, View b) {
  return a["topologyKey"] == b["topologyKey"] && a["whenUnsatisfiable"] == b["whenUnsatisfiable"];
}

void check_constraints(View constraints, FieldErrors& errors) {
  const Path all("defaultConstraints");
  for (size_t i = 0; i < constraints.size(); ++i) {
    const View one = constraints.item(i);
    const Path path = all.index(i);
    check_constraint(one, path, errors);
    for (size_t before = 0; before < i; ++before) {
      if (!same_rule(constraints.item(before), one)) continue;
      errors.duplicate(path, fmt::format("{{{}, {}}}", one["topologyKey"].text(),
                                         one["whenUnsatisfiable"].text()));
      break;
    }
  }
}

}  // namespace spread_args

Result<SpreadDefaults> read_spread_args(api::View args) {
  using namespace spread_args;
  std::string_view type = args["defaultingType"].text();
  if (type.empty()) type = "System";
  const View constraints = args["defaultConstraints"];
  FieldErrors errors;
  check_type(type, constraints, errors);
  check_constraints(constraints, errors);
  if (!errors.empty()) {
    const std::vector<std::string> texts = errors.texts();
    return Status{Reason::kBadRequest,
                  texts.size() == 1 ? texts.front() : fmt::format("[{}]", proa::join(texts, ", "))};
  }
  if (type == "System") return SpreadDefaults{.constraints = system_constraints()};
  SpreadDefaults defaults{.by_system = false};
  for (const View one : constraints.items()) defaults.constraints.push_back(read_constraint(one));
  return defaults;
}

}  // namespace proa::scheduler
