#include "kinds/core/quota/resource_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kinds/checks/fields.h"
#include "kinds/core/resources/validation.h"

namespace proa::kinds {

namespace resource_quota {

using api::FieldErrors;
using api::Path;

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"}, {.name = "Request"}, {.name = "Limit"}, {.name = "Age"}};

void row(View object, Cells& cells) {
  const View status = object["status"];
  std::map<std::string_view, View> hard;
  for (const json::Member& member : status["hard"].members()) hard[member.key] = member.value;
  std::string requests;
  std::string limits;
  for (const auto& [name, most] : hard) {
    std::string& text = name.starts_with("limits.") ? limits : requests;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {}/{}", name, status["used"][name].text("0"), most.text());
  }
  cells.text(object["metadata"]["name"].text());
  cells.text(requests);
  cells.text(limits);
  cells.age(object["metadata"]["creationTimestamp"]);
}

void validate_amounts(View amounts, const Path& path, FieldErrors& errors) {
  for (const json::Member& member : amounts.members()) {
    const Path item = path.key(member.key);
    validate_quota_resource_name(member.key, item, errors);
    validate_resource_quantity(member.key, member.value, item, errors);
  }
}

constexpr std::string_view kPodScopes[] = {"Terminating", "NotTerminating", "NotBestEffort",
                                           "PriorityClass", "CrossNamespacePodAffinity"};

bool is_pod_scope(std::string_view scope) {
  return std::find(std::begin(kPodScopes), std::end(kPodScopes), scope) != std::end(kPodScopes);
}

bool is_scope(std::string_view scope) {
  return is_pod_scope(scope) || scope == "BestEffort" || scope == "VolumeAttributesClass";
}

bool covers(std::string_view scope, std::string_view resource) {
  if (is_pod_scope(scope)) {
    return contains(
        {"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"},
        resource);
  }
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  return true;
}

// Resources that a scope does not apply to; counted once for each scope.
class Uncovered {
 public:
  explicit Uncovered(View hard) : hard_(hard) {}

  size_t count(std::string_view scope) {
    const auto [found, is_new] = counts_.try_emplace(scope, 0);
    if (is_new && is_scope(scope)) {
      const auto members = hard_.members();
      found->second = static_cast<size_t>(
          std::count_if(members.begin(), members.end(), [scope](const json::Member& member) {
            return is_standard_quota_resource(member.key) && !covers(scope, member.key);
          }));
    }
    return found->second;
  }

 private:
  const View hard_;
  std::map<std::string_view, size_t> counts_;
};

// As upstream, one error for each resource.
void report_uncovered(size_t count, View value, const Path& path, FieldErrors& errors) {
  for (; count > 0 && !errors.full(); --count)
    errors.invalid(path, value, "unsupported scope applied to resource");
  if (count > 0) errors.count(count);
}

void validate_conflicts(const std::set<std::string_view>& scopes, View list, const Path& path,
                        FieldErrors& errors) {
  for (const std::string_view scope : {"BestEffort", "Terminating"}) {
    if (scopes.contains(scope) && scopes.contains("Not" + std::string(scope))) {
      errors.invalid(path, list, "conflicting scopes");
    }
  }
}

void validate_scopes(View spec, const Path& path, FieldErrors& errors) {
  const View list = spec["scopes"];
  std::set<std::string_view> scopes;
  Uncovered uncovered(spec["hard"]);
  for (const View scope : list.items()) {
    if (!is_scope(scope.text())) errors.invalid(path, list, "unsupported scope");
    report_uncovered(uncovered.count(scope.text()), list, path, errors);
    scopes.insert(scope.text());
  }
  validate_conflicts(scopes, list, path, errors);
}

void validate_values(View requirement, const Path& path, FieldErrors& errors) {
  const std::string_view operation = requirement["operator"].text();
  const View values = requirement["values"];
  if (operation == "In" || operation == "NotIn") {
    if (!values.empty()) return;
    errors.required(path.field("values"),
                    "must be at least one value when `operator` is 'In' or 'NotIn' for scope "
                    "selector");
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (values.empty()) return;
    errors.invalid(path.field("values"), values,
                   "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope "
                   "selector");
  } else {
    errors.invalid(path.field("operator"), operation, "not a valid selector operator");
  }
}

void validate_scope_selector(View spec, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> scopes;
  Uncovered uncovered(spec["hard"]);
  for (const View requirement : spec["scopeSelector"]["matchExpressions"].items()) {
    const std::string_view scope = requirement["scopeName"].text();
    if (!is_scope(scope)) errors.invalid(path.field("scopeName"), scope, "unsupported scope");
    report_uncovered(uncovered.count(scope), spec["scopeSelector"], path, errors);
    // These operators take no values.
    const bool needs_exists =
        (is_pod_scope(scope) && scope != "PriorityClass") || scope == "BestEffort";
    if (needs_exists && requirement["operator"].text() != "Exists") {
      errors.invalid(path.field("operator"), requirement["operator"],
                     "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                     "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
                     "ResourceQuotaScopeNotBestEffort or "
                     "ResourceQuotaScopeCrossNamespacePodAffinity");
    }
    validate_values(requirement, path, errors);
    scopes.insert(scope);
  }
  validate_conflicts(scopes, spec["scopes"], path, errors);
}

void validate(View object, FieldErrors& errors) {
  const View spec = object["spec"];
  validate_amounts(spec["hard"], Path("spec.hard"), errors);
  validate_scopes(spec, Path("spec.scopes"), errors);
  validate_scope_selector(spec, Path("spec.scopeSelector.matchExpressions"), errors);
}

std::set<std::string_view> scopes_of(View object) {
  std::set<std::string_view> scopes;
  for (const View scope : object["spec"]["scopes"].items()) scopes.insert(scope.text());
  return scopes;
}

void validate_update(View object, View old, FieldErrors& errors) {
  if (scopes_of(object) == scopes_of(old)) return;
  errors.invalid(Path("spec.scopes"), object["spec"]["scopes"], "field is immutable");
}

void validate_status_update(View object, View, FieldErrors& errors) {
  validate_amounts(object["status"]["hard"], Path("status.hard"), errors);
  validate_amounts(object["status"]["used"], Path("status.used"), errors);
}

void warn(View object, View old, Warnings& warnings) {
  // Warns on creation only.
  if (old) return;
  const View hard = object["spec"]["hard"];
  for (const std::string_view name : {"cpu", "memory", "storage", "ephemeral-storage"}) {
    std::string request = fmt::format("requests.{}", name);
    const std::string limit = fmt::format("limits.{}", name);
    if (!hard[request] && (name == "cpu" || name == "memory")) request = name;
    if (!hard[request] || !hard[limit]) continue;
    const auto wanted = quantity_of(hard[request]);
    const auto most = quantity_of(hard[limit]);
    if (wanted <= most) continue;
    warnings.emplace_back(fmt::format("ResourceQuota {} ({}) should be less than {} ({})", request,
                                      wanted.str(), limit, most.str()));
  }
}

}  // namespace resource_quota

KindRules resource_quota_rules() {
  return {.kind = "v1/ResourceQuota",
          .validate = resource_quota::validate,
          .validate_update = resource_quota::validate_update,
          .validate_status_update = resource_quota::validate_status_update,
          .warn = resource_quota::warn,
          .columns = resource_quota::kColumns,
          .row = resource_quota::row};
}

}  // namespace proa::kinds
