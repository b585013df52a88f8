#pragma once

#include "kinds/rules.h"

// What follows from the spec of a Service; allocation, validation and defaults agree on it.

namespace proa::kinds {

bool needs_cluster_ip(View spec);
// clusterIPs is just "None".
bool is_headless(View spec);
bool needs_node_port(View spec);
// For load balancers that send traffic to nodes with pods only.
bool needs_health_check_node_port(View spec);
bool is_externally_accessible(View spec);
// Lists, where absent and empty are the same.
bool same_list(View list, View other);

// Values that were allocated once and that the client left out are taken from the old object;
// clusterIP and clusterIPs are brought in line. `old` may be absent.
void complete_service(api::Edit object, View old);
// Fields that a change of the type made useless go, if the client did not change them too.
void drop_fields_of_old_type(api::Edit object, View old);

}  // namespace proa::kinds
