#include "kinds/flowcontrol/flow_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "json/parse.h"
#include "kinds/checks/fields.h"
#include "kinds/flowcontrol/status.h"

namespace proa::kinds {

namespace flow_schema {

constexpr int64_t kMaxPrecedence = 10000;

// Sorted, as messages list them.
constexpr std::string_view kVerbs[] = {"create", "delete", "deletecollection", "get",  "list",
                                       "patch",  "proxy",  "update",           "watch"};

bool has_wildcard(View list) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [](const json::Value& item) { return View(item).text() == "*"; });
}

void validate_verbs(View verbs, const api::Path& path, api::FieldErrors& errors) {
  if (verbs.empty()) {
    errors.required(path, "verbs must contain at least one value");
  } else if (has_wildcard(verbs)) {
    if (verbs.size() > 1) {
      errors.invalid(path, verbs, "if '*' is present, must not specify other verbs");
    }
  } else {
    const auto items = verbs.items();
    const bool known = std::all_of(items.begin(), items.end(), [](const json::Value& verb) {
      return std::binary_search(std::begin(kVerbs), std::end(kVerbs), View(verb).text());
    });
    if (!known) errors.not_supported(path, verbs, kVerbs);
  }
}

// The field of a subject for each of its kinds.
struct SubjectField {
  std::string_view kind;
  std::string_view name;
};
constexpr SubjectField kSubjectFields[] = {
    {"ServiceAccount", "serviceAccount"}, {"User", "user"}, {"Group", "group"}};

void validate_service_account(View account, const api::Path& path, api::FieldErrors& errors) {
  if (require_text(account, "name", path, errors) && account["name"].text() != "*") {
    check_text(account["name"], api::check_dns1123_subdomain, path.field("name"), errors);
  }
  if (account["namespace"].text().empty()) {
    errors.required(path.field("namespace"), "must specify namespace for service account");
  } else {
    check_text(account["namespace"], api::check_dns1123_label, path.field("namespace"), errors);
  }
}

// The part that the kind of the subject asks for.
void validate_own_part(View subject, const SubjectField& own, const api::Path& path,
                       api::FieldErrors& errors) {
  const View part = subject[own.name];
  const api::Path part_path = path.field(own.name);
  if (!part) {
    errors.required(part_path,
                    fmt::format("{} is required when subject kind is '{}'", own.name, own.kind));
  } else if (own.kind == "ServiceAccount") {
    validate_service_account(part, part_path, errors);
  } else {
    require_text(part, "name", part_path, errors);
  }
}

void validate_subject(View subject, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view kind = subject["kind"].text();
  if (!contains({"Group", "ServiceAccount", "User"}, kind)) {
    return errors.not_supported(path.field("kind"), kind, {"Group", "ServiceAccount", "User"});
  }
  const auto own = std::ranges::find(kSubjectFields, kind, &SubjectField::kind);
  validate_own_part(subject, *own, path, errors);
  for (const SubjectField& field : kSubjectFields) {
    if (field.kind == kind || !subject[field.name]) continue;
    errors.forbidden(
        path.field(field.name),
        fmt::format("{} is forbidden when subject kind is not '{}'", field.name, field.kind));
  }
}

void validate_namespaces(View rule, const api::Path& path, api::FieldErrors& errors) {
  const View namespaces = rule["namespaces"];
  if (namespaces.empty() && !rule["clusterScope"].flag()) {
    errors.required(
        path, "resource rules that are not cluster scoped must supply at least one namespace");
  } else if (has_wildcard(namespaces)) {
    if (namespaces.size() > 1) {
      errors.invalid(path, namespaces, "if '*' is present, must not specify other namespaces");
    }
  } else {
    each(namespaces, path, [&](View name, const api::Path& at) {
      for (const std::string& problem : api::check_dns1123_label(name.text())) {
        errors.invalid(at, name.text(),
                       "each member of this list must be '*' or a DNS-1123 label; " + problem);
      }
    });
  }
}

void validate_resource_rule(View rule, const api::Path& path, api::FieldErrors& errors) {
  validate_verbs(rule["verbs"], path.field("verbs"), errors);
  const View groups = rule["apiGroups"];
  if (groups.empty()) {
    errors.required(path.field("apiGroups"), "resource rules must supply at least one api group");
  } else if (groups.size() > 1 && has_wildcard(groups)) {
    errors.invalid(path.field("apiGroups"), groups,
                   "if '*' is present, must not specify other api groups");
  }
  const View resources = rule["resources"];
  if (resources.empty()) {
    errors.required(path.field("resources"), "resource rules must supply at least one resource");
  } else if (resources.size() > 1 && has_wildcard(resources)) {
    errors.invalid(path.field("resources"), resources,
                   "if '*' is present, must not specify other resources");
  }
  validate_namespaces(rule, path.field("namespaces"), errors);
}

std::string_view url_problem(std::string_view url) {
  if (url.empty()) return "must not be empty";
  if (url == "/") return {};
  if (!url.starts_with('/')) return "must start with slash";
  if (url.find(' ') != std::string_view::npos) return "must not contain white-space";
  if (url.find("//") != std::string_view::npos) return "must not contain double slash";
  const size_t star = url.find('*');
  const bool ends_with_star = star == url.size() - 1 && url.ends_with("/*");
  if (star != std::string_view::npos && !ends_with_star) {
    return "wildcard can only do suffix matching";
  }
  return {};
}

void validate_path_rule(View rule, const api::Path& path, api::FieldErrors& errors) {
  validate_verbs(rule["verbs"], path.field("verbs"), errors);
  const View urls = rule["nonResourceURLs"];
  const api::Path urls_path = path.field("nonResourceURLs");
  if (urls.empty()) {
    errors.required(urls_path, "nonResourceURLs must contain at least one value");
  } else if (has_wildcard(urls)) {
    if (urls.size() > 1) {
      errors.invalid(urls_path, urls,
                     "if '*' is present, must not specify other non-resource URLs");
    }
  } else {
    each(urls, urls_path, [&](View url, const api::Path& at) {
      const std::string_view problem = url_problem(url.text());
      if (!problem.empty()) errors.invalid(at, url.text(), problem);
    });
  }
}

void validate_rule(View rule, const api::Path& path, api::FieldErrors& errors) {
  const api::Path subjects_path = path.field("subjects");
  if (rule["subjects"].empty()) {
    errors.required(subjects_path, "subjects must contain at least one value");
  }
  each(rule["subjects"], subjects_path,
       [&](View subject, const api::Path& at) { validate_subject(subject, at, errors); });
  if (rule["resourceRules"].empty() && rule["nonResourceRules"].empty()) {
    errors.required(path, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  const api::Path resource_path = path.field("resourceRules");
  each(rule["resourceRules"], resource_path,
       [&](View item, const api::Path& at) { validate_resource_rule(item, at, errors); });
  const api::Path other_path = path.field("nonResourceRules");
  each(rule["nonResourceRules"], other_path,
       [&](View item, const api::Path& at) { validate_path_rule(item, at, errors); });
}

void validate_precedence(View object, const api::Path& path, api::FieldErrors& errors) {
  const int64_t precedence = object["spec"]["matchingPrecedence"].integer();
  if (precedence <= 0) errors.invalid(path, precedence, "must be a positive value");
  if (precedence > kMaxPrecedence) {
    errors.invalid(path, precedence, "must not be greater than " + std::to_string(kMaxPrecedence));
  }
  if (precedence == 1 && object["metadata"]["name"].text() != "exempt") {
    errors.invalid(path, precedence,
                   "only the schema named 'exempt' may have matchingPrecedence 1");
  }
}

// The two mandatory schemas, whose spec is fixed: together they match every request.
constexpr std::string_view kFixed = R"({
  "exempt": {
    "matchingPrecedence": 1,
    "priorityLevelConfiguration": {"name": "exempt"},
    "rules": [{
      "subjects": [{"kind": "Group", "group": {"name": "system:masters"}}],
      "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                         "clusterScope": true, "namespaces": ["*"]}],
      "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}]},
  "catch-all": {
    "matchingPrecedence": 10000,
    "priorityLevelConfiguration": {"name": "catch-all"},
    "distinguisherMethod": {"type": "ByUser"},
    "rules": [{
      "subjects": [{"kind": "Group", "group": {"name": "system:unauthenticated"}},
                   {"kind": "Group", "group": {"name": "system:authenticated"}}],
      "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                         "clusterScope": true, "namespaces": ["*"]}],
      "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}]}
})";

json::Document fixed_specs() {
  auto parsed = json::parse(kFixed);
  CHECK(parsed.ok());
  return std::move(*parsed);
}

void validate_fixed(View object, const api::Path& path, api::FieldErrors& errors) {
  static const json::Document kSpecs = fixed_specs();
  const std::string_view name = object["metadata"]["name"].text();
  const View wanted = View(kSpecs.root())[name];
  if (wanted && wanted != object["spec"]) {
    errors.invalid(path, object["spec"],
                   "spec of '" + std::string(name) + "' must equal the fixed value");
  }
}

// Upstream shows the whole method, as Go prints it.
void validate_method(View method, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = method["type"].text();
  if (!method || contains({"ByNamespace", "ByUser"}, type)) return;
  json::Document shown({}, json::Value::object());
  constexpr std::string_view kGoName = "Type";
  shown.root().set(shown.arena(), kGoName, json::Value::borrowed(type));
  errors.not_supported(path, shown.root(), {"ByNamespace", "ByUser"});
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_precedence(object, path.field("matchingPrecedence"), errors);
  validate_method(spec["distinguisherMethod"], path.field("distinguisherMethod.type"), errors);
  const api::Path level_path = path.field("priorityLevelConfiguration.name");
  const View level = spec["priorityLevelConfiguration"]["name"];
  if (level.text().empty()) {
    errors.required(level_path, "must reference a priority level");
  } else {
    check_text(level, api::check_dns1123_subdomain, level_path, errors);
  }
  const api::Path rules_path = path.field("rules");
  each(spec["rules"], rules_path,
       [&](View rule, const api::Path& at) { validate_rule(rule, at, errors); });
  validate_fixed(object, path, errors);
  validate_flow_control_status(object, errors);
}

void validate_status_update(View object, View, api::FieldErrors& errors) {
  validate_flow_control_status(object, errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "PriorityLevel", .description = "The level that its requests belong to."},
    {.name = "MatchingPrecedence", .description = "Low numbers are asked first."},
    {.name = "DistinguisherMethod", .description = "How its flows are told apart."},
    {.name = "Age"},
    {.name = "MissingPL", .description = "Whether there is no such level."},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.text(spec["priorityLevelConfiguration"]["name"].text());
  cells.number(spec["matchingPrecedence"].integer());
  cells.text(spec["distinguisherMethod"]["type"].text("<none>"));
  cells.age(object["metadata"]["creationTimestamp"]);
  std::string_view dangling = "?";
  for (const View condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() == "Dangling") {
      dangling = condition["status"].text();
      break;
    }
  }
  cells.text(dangling);
}

}  // namespace flow_schema

KindRules flow_schema_rules() {
  return {.kind = "flowcontrol.apiserver.k8s.io/v1/FlowSchema",
          .metadata = {.update = "M", .status = ""},
          .validate = flow_schema::validate,
          .validate_status_update = flow_schema::validate_status_update,
          .columns = flow_schema::kColumns,
          .row = flow_schema::row};
}

}  // namespace proa::kinds
