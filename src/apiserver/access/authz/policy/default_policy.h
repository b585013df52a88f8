#pragma once

#include <vector>

#include "apiserver/access/authz/policy/policy_text.h"

namespace proa::apiserver {

// The roles and bindings that every cluster has: the texts are in the *.policy files beside this.
std::vector<PolicyObject> default_policy();

}  // namespace proa::apiserver
