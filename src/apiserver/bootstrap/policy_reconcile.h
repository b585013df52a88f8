#pragma once

#include "apiserver/resources/call/context.h"

namespace proa::apiserver {

// Puts the default roles and bindings into the store, adds what is missing to those that are there
// (see merge.h), and gathers the rules of all aggregated ClusterRoles: in one commit, without one
// when nothing is to be done. May be run at every start, by several servers at once. Namespaces
// must be there before.
Result<void> reconcile_policy(const ApiContext& context);

}  // namespace proa::apiserver
