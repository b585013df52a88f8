#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

// Roles and who holds them, in a language for reading them:
//
//   # A comment.
//   clusterrole edit  gathers edit  joins admin
//     read write on deployments replicasets of apps extensions
//     get on configmaps named cluster-info
//     get at /healthz /version
//     bound to group:developers user:jane account:kube-system/dns
//   role kube-system/token-cleaner
//     read delete on secrets
//     bound as cleaner to nobody
//
// `gathers x`: it has the rules of all roles that join x, which is the label aggregate-to-x. A rule
// is verbs and resources or paths; without `of`, resources are those of the core, which is `core`
// beside others. `read` is get, list and watch; `write` is create, update, patch, delete and
// deletecollection. A binding has the name of the role, unless it is bound `as` another one. A line
// that is indented by more than two goes on with the one above. Lists are stored in the order of
// the alphabet, whatever their order is here, but for subjects.

namespace proa::apiserver {

struct PolicyObject {
  std::string_view resource;  // "clusterroles", "rolebindings"
  json::Document document;    // complete except for server-set metadata
};

// Parses a policy. All objects get the label and annotation of bootstrap objects. Fails with
// kBadRequest and the line number.
Result<std::vector<PolicyObject>> parse_policy(std::string_view text);

}  // namespace proa::apiserver
