#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

// Reconciles a stored role or binding with its default: adds what is missing and keeps what users
// added. Objects annotated with rbac.authorization.kubernetes.io/autoupdate "false" are left
// unchanged.

namespace proa::apiserver {

enum class Merged : uint8_t {
  kSame,
  kChanged,
  kReplace,  // the role of a binding is immutable: the binding must be recreated
};

// For Roles and ClusterRoles. Rules are compared by what they allow.
Merged merge_role(api::Edit object, api::View wanted);
// For RoleBindings and ClusterRoleBindings.
Merged merge_binding(api::Edit object, api::View wanted);

}  // namespace proa::apiserver
