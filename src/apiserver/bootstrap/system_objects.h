#pragma once

#include <vector>

#include "apiserver/bootstrap/batch.h"
#include "apiserver/resources/allocate/network.h"

// The bootstrap objects of every cluster.

namespace proa::apiserver {

// The namespaces default, kube-system, kube-public and kube-node-lease.
void add_namespaces(const api::Schema& schema, std::vector<Wanted>& objects);
// system-cluster-critical and system-node-critical.
void add_priority_classes(const api::Schema& schema, std::vector<Wanted>& objects);
// The server's ServiceCIDR. `widened`: the stored one has one of two networks and gets the second.
void add_service_cidr(const api::Schema& schema, const ServiceNetwork& network, bool widened,
                      std::vector<Wanted>& objects);

// The Service by which pods reach this server; it has the network's first address.
void add_server_service(const api::Schema& schema, const ServiceNetwork& network, int port,
                        std::vector<Wanted>& objects);
// Its Endpoints and EndpointSlice. REQUIRES: the port is not zero; the addresses are of one family.
void add_server_endpoints(const api::Schema& schema, const std::vector<IpAddress>& addresses,
                          int port, std::vector<Wanted>& objects);

}  // namespace proa::apiserver
