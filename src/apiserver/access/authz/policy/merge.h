#pragma once

#include "api/object/edit.h"
#include "api/object/view.h"

// How a role or binding that is in the store becomes what every cluster needs: what is missing is
// added, and what others added stays. Objects with the annotation
// rbac.authorization.kubernetes.io/autoupdate "false" are left as they are.

namespace proa::apiserver {

enum class Merged : uint8_t {
  kSame,
  kChanged,
  kReplace,  // the role of a binding can't be changed: a new one has to take its place
};

// Of Roles and ClusterRoles. Rules are compared by what they allow.
Merged merge_role(api::Edit object, api::View wanted);
// Of RoleBindings and ClusterRoleBindings.
Merged merge_binding(api::Edit object, api::View wanted);

}  // namespace proa::apiserver
