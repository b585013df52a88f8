#include "kinds/rbac/roles.h"

#include "api/validation/metadata.h"
#include "kinds/checks/fields.h"
#include "kinds/checks/label_selector.h"

namespace proa::kinds {

namespace roles {

enum class Scope : uint8_t { kCluster, kNamespace };

void validate_rule(View rule, Scope scope, const api::Path& path, api::FieldErrors& errors) {
  if (rule["verbs"].empty()) {
    errors.required(path.field("verbs"), "verbs must contain at least one value");
  }
  const View urls = rule["nonResourceURLs"];
  if (urls.empty()) {
    if (rule["apiGroups"].empty()) {
      errors.required(path.field("apiGroups"), "resource rules must supply at least one api group");
    }
    if (rule["resources"].empty()) {
      errors.required(path.field("resources"), "resource rules must supply at least one resource");
    }
    return;
  }
  const api::Path urls_path = path.field("nonResourceURLs");
  if (scope == Scope::kNamespace) {
    errors.invalid(urls_path, urls, "namespaced rules cannot apply to non-resource URLs");
  }
  if (!rule["apiGroups"].empty() || !rule["resources"].empty() || !rule["resourceNames"].empty()) {
    errors.invalid(urls_path, urls,
                   "rules cannot apply to both regular resources and non-resource URLs");
  }
}

void validate_rules(View object, Scope scope, api::FieldErrors& errors) {
  const api::Path path("rules");
  each(object["rules"], path,
       [&](View rule, const api::Path& at) { validate_rule(rule, scope, at, errors); });
}

void validate_role(View object, api::FieldErrors& errors) {
  validate_rules(object, Scope::kNamespace, errors);
}

void validate_cluster_role(View object, api::FieldErrors& errors) {
  validate_rules(object, Scope::kCluster, errors);
  if (!object["aggregationRule"]) return;
  const api::Path path("aggregationRule.clusterRoleSelectors");
  const View selectors = object["aggregationRule"]["clusterRoleSelectors"];
  if (selectors.empty()) {
    errors.required(path,
                    "at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  each(selectors, path, [&](View selector, const api::Path& at) {
    api::validate_label_selector(selector, at, errors);
    if (!selector_is_valid(selector)) errors.invalid(at, nullptr, "invalid label selector.");
  });
}

}  // namespace roles

KindRules cluster_role_rules() {
  return {.kind = "rbac.authorization.k8s.io/v1/ClusterRole",
          .name = api::check_path_segment,
          .metadata = {.update = "MU"},
          .validate = roles::validate_cluster_role};
}

KindRules role_rules() {
  return {.kind = "rbac.authorization.k8s.io/v1/Role",
          .name = api::check_path_segment,
          .metadata = {.update = "MU"},
          .validate = roles::validate_role};
}

}  // namespace proa::kinds
