#pragma once

#include <span>
#include <vector>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "base/result.h"

namespace proa::kinds {

// Sets the rules of a ClusterRole with an aggregationRule to the union of the rules of all
// ClusterRoles that its selectors match: selector by selector, roles in the order of their names,
// each rule once. Returns whether the rules of `role` changed. An invalid selector fails with
// kBadRequest and changes nothing. `roles`: all ClusterRoles, sorted by name.
Result<bool> aggregate_rules(api::Edit role, std::span<const api::View> roles);

// The same for all roles that have an aggregationRule, until a fixed point is reached: such roles
// may match each other. Returns the indices of the roles that changed. REQUIRES: sorted by name.
std::vector<size_t> aggregate_all(std::span<const api::Edit> roles);

}  // namespace proa::kinds
