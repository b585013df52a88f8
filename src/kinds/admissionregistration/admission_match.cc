#include "kinds/admissionregistration/admission_match.h"

#include <algorithm>
#include <set>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace admission_match {

constexpr size_t kMaxConditions = 64;

bool has_wildcard(View list) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [](const json::Value& item) { return View(item).text() == "*"; });
}

// A list of names, or "*" alone. `what` names the items in messages.
void validate_names(View names, const char* what, const api::Path& path, api::FieldErrors& errors) {
  if (names.empty()) errors.required(path);
  if (names.size() > 1 && has_wildcard(names)) {
    errors.invalid(path, names, std::string("if '*' is present, must not specify other ") + what);
  }
}

// Resources and subresources: "pods", "pods/status", "pods/*", "*/scale", "*", "*/*".
class ResourceNames {
 public:
  explicit ResourceNames(api::FieldErrors& errors) : errors_(errors) {}

  void add(std::string_view name, const api::Path& path) {
    if (name.empty()) return errors_.required(path);
    all_ = all_ || name == "*/*";
    any_resource_ = any_resource_ || name == "*";
    const auto parts = split_once(name, '/');
    if (!parts) {
      // As upstream, the last one decides.
      plain_resource_ = name != "*";
      return;
    }
    const std::string resource(parts->before);
    const std::string sub(parts->after);
    const std::string text(name);
    if (with_any_sub_.contains(resource)) {
      errors_.invalid(path, name, "if '" + resource + "/*' is present, must not specify " + text);
    }
    if (of_any_resource_.contains(sub)) {
      errors_.invalid(path, name, "if '*/" + sub + "' is present, must not specify " + text);
    }
    if (sub == "*") with_any_sub_.insert(resource);
    if (resource == "*") of_any_resource_.insert(sub);
  }

  void finish(View names, const api::Path& path) {
    if (names.size() > 1 && all_) {
      errors_.invalid(path, names, "if '*/*' is present, must not specify other resources");
    }
    if (any_resource_ && plain_resource_) {
      errors_.invalid(path, names,
                      "if '*' is present, must not specify other resources without subresources");
    }
  }

 private:
  api::FieldErrors& errors_;
  std::set<std::string> with_any_sub_;
  std::set<std::string> of_any_resource_;
  bool all_ = false;
  bool any_resource_ = false;
  bool plain_resource_ = false;
};

void validate_resources(View resources, const api::Path& path, api::FieldErrors& errors) {
  if (resources.empty()) errors.required(path);
  ResourceNames names(errors);
  each(resources, path,
       [&](View resource, const api::Path& at) { names.add(resource.text(), at); });
  names.finish(resources, path);
}

void validate_named_rule(View rule, const api::Path& path, api::FieldErrors& errors) {
  std::set<std::string_view> seen;
  const api::Path names_path = path.field("resourceNames");
  each(rule["resourceNames"], names_path, [&](View name, const api::Path& at) {
    check_text(name, api::check_path_segment, at, errors);
    if (!seen.insert(name.text()).second) errors.duplicate(at, name.text());
  });
  validate_admission_rule(rule, path, errors);
}

void validate_selector(View match, std::string_view name, const api::Path& path,
                       api::FieldErrors& errors) {
  const api::Path selector_path = path.field(name);
  if (!match[name]) return errors.required(selector_path);
  api::validate_label_selector(match[name], selector_path, errors);
}

}  // namespace admission_match

void validate_admission_rule(View rule, const api::Path& path, api::FieldErrors& errors) {
  const api::Path operations = path.field("operations");
  admission_match::validate_names(rule["operations"], "operations", operations, errors);
  each(rule["operations"], operations, [&](View operation, const api::Path& at) {
    check_one_of(operation, {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}, at, errors);
  });
  admission_match::validate_names(rule["apiGroups"], "API groups", path.field("apiGroups"), errors);
  const api::Path versions = path.field("apiVersions");
  admission_match::validate_names(rule["apiVersions"], "API versions", versions, errors);
  each(rule["apiVersions"], versions, [&](View version, const api::Path& at) {
    if (version.text().empty()) errors.required(at);
  });
  admission_match::validate_resources(rule["resources"], path.field("resources"), errors);
  check_one_of(rule["scope"], {"*", "Cluster", "Namespaced"}, path.field("scope"), errors);
}

void validate_match_resources(View match, const api::Path& path, api::FieldErrors& errors) {
  if (!match) return;
  const api::Path policy_path = path.field("matchPolicy");
  if (!match["matchPolicy"]) errors.required(policy_path);
  check_one_of(match["matchPolicy"], {"Equivalent", "Exact"}, policy_path, errors);
  admission_match::validate_selector(match, "namespaceSelector", path, errors);
  admission_match::validate_selector(match, "objectSelector", path, errors);
  for (const std::string_view name : {"resourceRules", "excludeResourceRules"}) {
    const api::Path rules_path = path.field(name);
    each(match[name], rules_path, [&](View rule, const api::Path& at) {
      admission_match::validate_named_rule(rule, at, errors);
    });
  }
}

void validate_match_conditions(View conditions, const api::Path& path, api::FieldErrors& errors,
                               bool has_params) {
  if (conditions.size() > admission_match::kMaxConditions) {
    errors.too_many(path, conditions.size(), admission_match::kMaxConditions);
  }
  // As upstream, they do not see the variables of a policy here.
  cel::AdmissionCompiler compiler(has_params, cel::AdmissionCompiler::Composes::kNo);
  std::set<std::string_view> seen;
  each(conditions, path, [&](View condition, const api::Path& at) {
    const api::Path expression_path = at.field("expression");
    const std::string_view expression = trim(condition["expression"].text());
    if (expression.empty()) {
      errors.required(expression_path);
    } else if (!errors.full()) {
      report_expression(compiler.compile(expression, cel::Expected::kBool), expression,
                        expression_path, errors);
    }
    if (!require_text(condition, "name", at, errors)) return;
    const api::Path name_path = at.field("name");
    check_text(condition["name"], api::check_qualified_name, name_path, errors);
    const std::string_view name = condition["name"].text();
    if (!seen.insert(name).second) errors.duplicate(name_path, name);
  });
}

void validate_mutating_operations(View match, const api::Path& path, api::FieldErrors& errors) {
  for (const View rule : match["resourceRules"].items()) {
    for (const View operation : rule["operations"].items()) {
      check_one_of(operation, {"*", "CONNECT", "CREATE", "UPDATE"},
                   path.field("resourceRules.operations"), errors);
    }
  }
}

}  // namespace proa::kinds
