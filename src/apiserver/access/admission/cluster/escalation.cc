#include "apiserver/access/admission/cluster/escalation.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "apiserver/access/authz/rbac/coverage.h"

namespace proa::apiserver {
namespace escalation {

using api::View;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kMasters = "system:masters";

bool is_nothing(View value) {
  return !value.exists() ||
         ((value.is(json::Kind::kArray) || value.is(json::Kind::kObject)) && value.empty());
}

// Compares all members except `ignored`; an empty list equals an absent one.
bool same_but_for(View object, View old, std::initializer_list<std::string_view> ignored) {
  const auto fits = [&](View one, View other) {
    return std::all_of(one.members().begin(), one.members().end(), [&](const json::Member& member) {
      if (std::find(ignored.begin(), ignored.end(), member.key) != ignored.end()) return true;
      const View mine = member.value;
      const View theirs = other[member.key];
      return mine == theirs || (is_nothing(mine) && is_nothing(theirs));
    });
  };
  return fits(object, old) && fits(old, object);
}

// Whether the update only changes what the garbage collector changes before a deletion. It need not
// hold the permissions of the object.
bool is_garbage_collection(View object, View old) {
  if (!old.exists()) return false;
  return same_but_for(object, old, {"metadata"}) &&
         same_but_for(
             object["metadata"], old["metadata"],
             {"ownerReferences", "finalizers", "selfLink", "managedFields", "resourceVersion"});
}

bool gathers(View role) { return !role["aggregationRule"]["clusterRoleSelectors"].empty(); }

// An aggregated role may collect any rules.
std::vector<PolicyRule> everything() {
  return {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}, {.verbs = {"*"}, .paths = {"*"}}};
}

}  // namespace escalation

bool RbacEscalation::concerns(const Admission& admission) const {
  if (admission.operation != Operation::kCreate && admission.operation != Operation::kUpdate) {
    return false;
  }
  if (admission.request.resource->group != escalation::kGroup) return false;
  return admission.request.subresource == nullptr;
}

Result<void> RbacEscalation::validate(api::View object, const Admission& admission) {
  if (admission.request.user->in_group(escalation::kMasters)) return {};
  const std::string_view resource = admission.request.resource->name;
  const bool is_role = resource == "roles" || resource == "clusterroles";
  if (is_role && may("escalate", resource, admission.request.name, admission)) return {};
  if (escalation::is_garbage_collection(object, admission.old)) return {};
  return is_role ? check_role(object, admission) : check_binding(object, admission);
}

Result<void> RbacEscalation::check_role(api::View object, const Admission& admission) {
  TRY(check_held(kinds::read_rules(object["rules"]), object, admission));
  if (!escalation::gathers(object) && !escalation::gathers(admission.old)) return {};
  if (check_held(escalation::everything(), object, admission).ok()) return {};
  return admission.forbidden(object,
                             "must have cluster-admin privileges to use the aggregationRule");
}

Result<void> RbacEscalation::check_binding(api::View object, const Admission& admission) {
  const RoleName role = RoleBinding::read(admission.request.name_space, "", object).role;
  const std::string_view resource = role.kind == "ClusterRole" ? "clusterroles" : "roles";
  if (may("bind", resource, role.name, admission)) return {};
  const RolePtr bound = index_.read([&](const AccessTable& table) { return table.role(role); });
  if (bound == nullptr) return role_not_found(resource, role.name, admission);
  return check_held(bound->rules(), object, admission);
}

Result<void> RbacEscalation::check_held(std::span<const PolicyRule> rules, api::View object,
                                        const Admission& admission) {
  const User& user = *admission.request.user;
  const HeldRoles held = index_.held_by(user, admission.request.name_space);
  const MissingRules missing = missing_rules(held.rules(), rules);
  if (missing.none()) return {};
  std::string why =
      "user " + api::quoted(user.name) + " (groups=" + kinds::quoted_list(user.groups) +
      ") is attempting to grant RBAC permissions not currently held:\n" + describe(missing);
  if (!held.missing.empty()) {
    why += "; resolution errors: [" + describe_missing(held.missing, MissingWords::kPlural) + "]";
  }
  return admission.forbidden(object, why);
}

bool RbacEscalation::may(std::string_view verb, std::string_view resource, std::string_view name,
                         const Admission& admission) {
  const Attributes asked{.user = admission.request.user.get(),
                         .verb = verb,
                         .is_resource = true,
                         .group = escalation::kGroup,
                         .version = "*",
                         .resource = resource,
                         .subresource = {},
                         .name_space = admission.request.name_space,
                         .name = name,
                         .path = {}};
  return authorizer_.authorize(asked).allowed();
}

Status RbacEscalation::role_not_found(std::string_view resource, std::string_view name,
                                      const Admission& admission) const {
  Request missing;
  missing.resource = schema_.find_resource(escalation::kGroup, "v1", resource);
  missing.name_space = admission.request.name_space;
  missing.name = name;
  return missing.not_found();
}

}  // namespace proa::apiserver
