#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"

namespace proa::proxy::iptables {

// A rule of a chain, without the command: "KUBE-SERVICES -d 10.0.0.1 ... -j KUBE-SVC-X".
using Line = std::string;

// A chain of the table nat with all of its rules.
struct Chain {
  std::string name;
  std::vector<Line> lines;

  bool operator==(const Chain&) const = default;
};

// The rules of one port.
struct PortRules {
  std::vector<Line> filter;   // in chains that all ports share
  std::vector<Line> nat;      // the same
  std::vector<Chain> chains;  // its own
};

struct RuleOptions {
  // Comments in the chains of ports, which are half of the text in large clusters.
  bool comments = true;
  // Packets that connection tracking finds invalid are dropped: they could reset connections.
  bool drop_invalid = true;
};

// What a port needs. Packets are treated as by upstream's kube-proxy; also the text is the same.
PortRules port_rules(const ServicePort& port, const NodeFacts& node, const RuleOptions& options);

// Node ports are served at 127.0.0.1.
bool serves_localhost(const NodeFacts& node);

// Rules that do not depend on Services. The last one of KUBE-SERVICES leads to the node ports: it
// comes after those of ports.
struct SharedRules {
  std::vector<Line> filter;
  std::vector<Line> nat;
  std::vector<Line> last_nat;
};
SharedRules shared_rules(Family family, const NodeFacts& node, const RuleOptions& options);

}  // namespace proa::proxy::iptables
