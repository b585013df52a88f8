#pragma once

#include "kinds/rules.h"

// Predicates on the spec of a Service that allocation, validation and defaulting share.

namespace proa::kinds {

bool needs_cluster_ip(View spec);
// clusterIPs is ["None"].
bool is_headless(View spec);
bool needs_node_port(View spec);
// For load balancers with externalTrafficPolicy Local.
bool needs_health_check_node_port(View spec);
bool is_externally_accessible(View spec);
// Equal lists; absent equals empty.
bool same_list(View list, View other);

// Copies allocated values that the client left out from the old object, and makes clusterIP and
// clusterIPs agree. `old` may be absent.
void complete_service(api::Edit object, View old);
// Removes fields that the new type does not use, unless the client changed them too.
void drop_fields_of_old_type(api::Edit object, View old);

}  // namespace proa::kinds
