#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"
#include "base/result.h"
#include "client/certificates/request_object.h"

namespace proa::controllers {

// The name of the node that a request for a kubelet's serving certificate is from; nullopt: not
// such a request, already decided, or not from the node itself.
std::optional<std::string> serving_node_of(api::View object);

// The names and addresses of a Node, in one notation per address.
std::vector<std::string> names_of_node(api::View node);

// Whether a name or address belongs to somebody else: the API server, a Service or another Node.
using IsTaken = std::function<bool(const std::string& name)>;

// Approval of a kubelet's serving certificate whose names and addresses all belong to its Node.
// Upstream leaves these requests to other approvers. A Node's addresses are its kubelet's own
// claim, so names that are taken are refused: otherwise a node could get the API server's.
// kNotFound: there is no Node yet, or it has no addresses yet. kForbidden: not approved, with the
// reason, which may change with the Nodes. REQUIRES: serving_node_of(object); `node` may be null.
Result<client::RequestCondition> serving_approval_of(api::View object, api::View node,
                                                     const IsTaken& is_taken);

}  // namespace proa::controllers
