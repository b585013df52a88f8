#pragma once

#include <string_view>

#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"

// Ports of Services and facts of nodes from a line of text, for tests.

namespace proa::testkit {

// "default/web:http udp cluster=10.96.0.1:80 nodeport=30080 external=1.2.3.4,... balancer=5.6.7.8
// sources=10.0.0.0/8,... affinity=10800 internal-local external-local
// endpoints=10.1.0.5:8080*,10.1.1.5:8080 unreachable": `*` marks endpoints of this node, the
// family is that of the cluster IP, IPv6 with a port in brackets. `unreachable`: there are
// endpoints, but none for this node.
proxy::ServicePortPtr parse_service_port(std::string_view text);

// "pods=10.244.0.0/16,... services=10.96.0.0/16 address=192.168.1.2 nodeports-at=192.168.1.2
// masquerade-all"
proxy::NodeFacts parse_node_facts(std::string_view text);

}  // namespace proa::testkit
