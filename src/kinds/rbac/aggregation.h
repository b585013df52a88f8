#pragma once

#include <span>
#include <vector>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "base/result.h"

namespace proa::kinds {

// A ClusterRole with an aggregationRule has the rules of all ClusterRoles that its selectors
// choose: selector by selector, role by role in the order of their names, each rule once; its own
// do not count. True when the rules of `role` changed. A selector that is not valid: kBadRequest,
// and nothing changed. `roles`: all there are, sorted by name.
Result<bool> aggregate_rules(api::Edit role, std::span<const api::View> roles);

// The same for all that have an aggregationRule, until nothing changes any more: such roles may
// choose each other. `roles` are sorted by name; the result are the indices of those that changed.
std::vector<size_t> aggregate_all(std::span<const api::Edit> roles);

}  // namespace proa::kinds
