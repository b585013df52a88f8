#pragma once

#include <vector>

#include "api/schema/schema.h"
#include "client/informer/reflector.h"

namespace proa::cli {

// What several components of a node follow as a whole: Services (kubelet, proxy, DNS, load
// balancers), EndpointSlices (proxy, DNS, load balancers) and Namespaces (DNS, network policies);
// without the fields that none of them reads, which are about half of an object.
std::vector<client::Selector> objects_to_share(const api::Schema& schema);

}  // namespace proa::cli
