#include "kinds/rbac/role_bindings.h"

#include <vector>

#include "base/strings.h"
#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace role_bindings {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

enum class Scope : uint8_t { kCluster, kNamespace };

void validate_role(View role, Scope scope, api::FieldErrors& errors) {
  const api::Path path("roleRef");
  if (role["apiGroup"].text() != kGroup) {
    errors.not_supported(path.field("apiGroup"), role["apiGroup"].text(), {kGroup});
  }
  const std::string_view kind = role["kind"].text();
  if (scope == Scope::kCluster && kind != "ClusterRole") {
    errors.not_supported(path.field("kind"), kind, {"ClusterRole"});
  } else if (kind != "ClusterRole" && kind != "Role") {
    errors.not_supported(path.field("kind"), kind, {"Role", "ClusterRole"});
  }
  if (require_text(role, "name", path, errors)) {
    check_text(role["name"], api::check_path_segment, path.field("name"), errors);
  }
}

void validate_subject(View subject, Scope scope, const api::Path& path, api::FieldErrors& errors) {
  const bool named = require_text(subject, "name", path, errors);
  const std::string_view kind = subject["kind"].text();
  const std::string_view group = subject["apiGroup"].text();
  if (kind == "ServiceAccount") {
    if (named) {
      check_text(subject["name"], api::check_dns1123_subdomain, path.field("name"), errors);
    }
    if (!group.empty()) errors.not_supported(path.field("apiGroup"), group, {""});
    if (scope == Scope::kCluster) require_text(subject, "namespace", path, errors);
  } else if (kind == "User" || kind == "Group") {
    if (group != kGroup) errors.not_supported(path.field("apiGroup"), group, {kGroup});
  } else {
    errors.not_supported(path.field("kind"), kind, {"ServiceAccount", "User", "Group"});
  }
}

void validate_binding(View object, Scope scope, api::FieldErrors& errors) {
  validate_role(object["roleRef"], scope, errors);
  const api::Path path("subjects");
  each(object["subjects"], path,
       [&](View subject, const api::Path& at) { validate_subject(subject, scope, at, errors); });
}

void validate_cluster(View object, api::FieldErrors& errors) {
  validate_binding(object, Scope::kCluster, errors);
}

void validate_namespaced(View object, api::FieldErrors& errors) {
  validate_binding(object, Scope::kNamespace, errors);
}

// roleRef is immutable: otherwise anyone who may edit a binding could grant any role.
void validate_update(View object, View old, api::FieldErrors& errors) {
  if (object["roleRef"] != old["roleRef"]) {
    errors.invalid(api::Path("roleRef"), object["roleRef"], "cannot change roleRef");
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Role", .description = "The role that is given."},
    {.name = "Age"},
    {.name = "Users", .priority = 1, .description = "Users that have it."},
    {.name = "Groups", .priority = 1, .description = "Groups that have it."},
    {.name = "ServiceAccounts", .priority = 1, .description = "Service accounts that have it."},
};

std::string names_of(View subjects, std::string_view kind) {
  std::vector<std::string> names;
  for (const View subject : subjects.items()) {
    if (subject["kind"].text() != kind) continue;
    std::string name(subject["name"].text());
    if (kind == "ServiceAccount") name = std::string(subject["namespace"].text()) + "/" + name;
    names.push_back(std::move(name));
  }
  return join(names, ", ");
}

void row(View object, Cells& cells) {
  const View role = object["roleRef"];
  cells.text(object["metadata"]["name"].text());
  cells.text(std::string(role["kind"].text()).append("/").append(role["name"].text()));
  cells.age(object["metadata"]["creationTimestamp"]);
  for (const std::string_view kind : {"User", "Group", "ServiceAccount"}) {
    cells.text(names_of(object["subjects"], kind));
  }
}

void default_subject(api::Edit subject) {
  const std::string_view kind = subject["kind"].text();
  if (kind != "User" && kind != "Group") return;
  if (subject["apiGroup"].text().empty()) subject.set("apiGroup", role_bindings::kGroup);
}

constexpr TypeDefaults kDefaults[] = {{"rbac.authorization.k8s.io/v1/Subject", default_subject}};

}  // namespace role_bindings

KindRules cluster_role_binding_rules() {
  return {.kind = "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
          .name = api::check_path_segment,
          .metadata = {.update = "MU"},
          .defaults = role_bindings::kDefaults,
          .validate = role_bindings::validate_cluster,
          .validate_update = role_bindings::validate_update,
          .columns = role_bindings::kColumns,
          .row = role_bindings::row};
}

KindRules role_binding_rules() {
  return {.kind = "rbac.authorization.k8s.io/v1/RoleBinding",
          .name = api::check_path_segment,
          .metadata = {.update = "MU"},
          .validate = role_bindings::validate_namespaced,
          .validate_update = role_bindings::validate_update,
          .columns = role_bindings::kColumns,
          .row = role_bindings::row};
}

}  // namespace proa::kinds
