#pragma once

#include <vector>

#include "apiserver/bootstrap/batch.h"
#include "apiserver/resources/allocate/network.h"

// What every cluster has from the beginning.

namespace proa::apiserver {

// The namespaces default, kube-system, kube-public and kube-node-lease.
void add_namespaces(const api::Schema& schema, std::vector<Wanted>& objects);
// For pods that the cluster, or a node, can't do without.
void add_priority_classes(const api::Schema& schema, std::vector<Wanted>& objects);
// The ServiceCIDR that this server was told. `widened`: what is there has one of two networks, and
// gets the other one too.
void add_service_cidr(const api::Schema& schema, const ServiceNetwork& network, bool widened,
                      std::vector<Wanted>& objects);

// The Service by which pods reach this server: it has the first address of the network.
void add_server_service(const api::Schema& schema, const ServiceNetwork& network, int port,
                        std::vector<Wanted>& objects);
// Where it leads. REQUIRES: the port is not zero.
void add_server_endpoints(const api::Schema& schema, const api::IpAddress& address, int port,
                          std::vector<Wanted>& objects);

}  // namespace proa::apiserver
