#include "kinds/core/pods/spec/scheduling.h"

#include <set>

#include "base/strings.h"

namespace proa::kinds::pods {

namespace scheduling {

void check_value(View toleration, const Path& path, FieldErrors& errors) {
  const std::string_view operation = toleration["operator"].text();
  const std::string_view value = toleration["value"].text();
  const Path at = path.field("operator");
  if (operation.empty() || operation == "Equal") {
    const auto problems = api::check_label_value(value);
    if (!problems.empty()) errors.invalid(at, value, join(problems, ";"));
  } else if (operation == "Exists") {
    if (!value.empty())
      errors.invalid(at, value, "value must be empty when `operator` is 'Exists'");
  } else if (operation == "Lt" || operation == "Gt") {
    // Behind the gate TaintTolerationComparisonOperators, which is off; messages still list them.
    errors.not_supported(at, operation, {"Equal", "Exists", "Lt", "Gt"});
  } else {
    errors.not_supported(at, operation, {"Equal", "Exists"});
  }
}

}  // namespace scheduling

void validate_tolerations(View tolerations, const Path& path, FieldErrors& errors) {
  each(tolerations, path, [&](View toleration, const Path& at) {
    const std::string_view key = toleration["key"].text();
    const std::string_view effect = toleration["effect"].text();
    if (!key.empty()) {
      check_text(toleration["key"], api::check_qualified_name, at.field("key"), errors);
    } else if (toleration["operator"].text() != "Exists") {
      errors.invalid(at.field("operator"), toleration["operator"].text(),
                     "operator must be Exists when `key` is empty, which means \"match all values "
                     "and all keys\"");
    }
    if (toleration["tolerationSeconds"].exists() && effect != "NoExecute") {
      errors.invalid(at.field("effect"), effect,
                     "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    scheduling::check_value(toleration, at, errors);
    if (!effect.empty()) {
      check_one_of(toleration["effect"], {"NoSchedule", "PreferNoSchedule", "NoExecute"},
                   at.field("effect"), errors);
    }
  });
}

void validate_readiness_gates(View gates, const Path& path, FieldErrors& errors) {
  each(gates, path, [&](View gate, const Path& at) {
    check_text(gate["conditionType"], api::check_qualified_name, at.field("conditionType"), errors);
  });
}

void validate_scheduling_gates(View gates, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> names;
  each(gates, path, [&](View gate, const Path& at) {
    check_text(gate["name"], api::check_qualified_name, at, errors);
    if (!names.insert(gate["name"].text()).second) errors.duplicate(at, gate["name"].text());
  });
}

void validate_resource_claims(View claims, bool is_mirror, const Path& path, FieldErrors& errors) {
  if (is_mirror && !claims.empty())
    return errors.forbidden(Path(), "static pods do not support resource claims");
  std::set<std::string_view> names;
  each(claims, path, [&](View claim, const Path& at) {
    const std::string_view name = claim["name"].text();
    if (name.empty()) {
      errors.required(at.field("name"));
    } else if (!names.insert(name).second) {
      errors.duplicate(at.field("name"), name);
    } else {
      check_text(claim["name"], api::check_dns1123_label, at.field("name"), errors);
    }
    size_t sources = 0;
    for (const std::string_view source : {"resourceClaimName", "resourceClaimTemplateName"}) {
      if (!claim[source].exists()) continue;
      ++sources;
      check_text(claim[source], api::check_dns1123_subdomain, at.field(source), errors);
    }
    if (sources > 1) {
      errors.invalid(at, claim,
                     "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be "
                     "specified");
    } else if (sources == 0) {
      errors.invalid(at, claim,
                     "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
  });
}

}  // namespace proa::kinds::pods
