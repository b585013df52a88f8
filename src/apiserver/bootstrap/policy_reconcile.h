#pragma once

#include <string>
#include <vector>

#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Creates the default roles and bindings, adds missing parts to existing ones (see merge.h), and
// aggregates ClusterRoles, in one commit; commits nothing if there are no changes. Idempotent: runs
// at every start, possibly on several servers at once. REQUIRES: the namespaces exist.
Result<void> reconcile_policy(const ApiContext& context);

// The same while the server runs: creates the missing ones and leaves the others as users made
// them.
Result<void> restore_policy(const ApiContext& context);
// The store keys of the default roles and bindings.
std::vector<std::string> policy_keys(const ApiContext& context);

}  // namespace proa::apiserver
