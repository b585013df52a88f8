#pragma once

#include <vector>

#include "apiserver/access/authz/policy/policy_text.h"

namespace proa::apiserver {

// The default roles and bindings of every cluster, from the *.policy files in this folder.
std::vector<PolicyObject> default_policy();

}  // namespace proa::apiserver
