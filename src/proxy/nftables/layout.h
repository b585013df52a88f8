#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "netlink/nft/ruleset.h"
#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"

// What does not depend on Services: the sets and maps, and the chains that look into them. Packets
// take the way that upstream's nftables mode gives them: same hooks, priorities and answers.

namespace proa::proxy::nftables {

namespace nft = netlink::nft;

nft::TableName table_of(Family family);

// Services have addresses of two kinds. Sets about node ports have keys without a destination.
enum class Space : uint8_t { kServiceIp, kNodePort };

// A set of each purpose. What Services lead to is data: the kernel looks for loops in all maps of
// verdicts when an element of one of them begins to lead to a chain, and that takes as long as
// they are large. So there are few verdicts, each for many Services.
enum class SetId : uint8_t {
  kServiceIps,              // address -> class of the chain that picks an endpoint
  kServiceEndpoints,        // address, index -> endpoint
  kServiceLocalEndpoints,   // the same, of this node: for external traffic of policy Local
  kStickyServices,          // address -> for how long the endpoint is remembered: affinity
  kServiceIds,              // address -> as whose endpoint it is remembered
  kNodePorts,               // these five for node ports
  kNodePortEndpoints,       //
  kNodePortLocalEndpoints,  //
  kStickyNodePorts,         //
  kNodePortIds,             //
  kNoEndpointServices,      // address -> whether it is refused by a drop or a reject
  kNoEndpointNodePorts,     //
  kClasses,                 // class -> chain that picks an endpoint
  kTimes,                   // seconds -> chain that remembers the endpoint
  kRefusals,                // drop or reject; always the same
  kFirewallIps,             // load balancer address -> chain that checks the source
  kClusterIps,
  kNodePortIps,  // where node ports are served, unless everywhere
  kHairpins,     // endpoints of this node that reach themselves
  kAffinity,     // client, port of a Service -> endpoint of the last time
  kCount,
};
inline constexpr size_t kSets = static_cast<size_t>(SetId::kCount);

const nft::Set& set_of(SetId id);

// The sets of a space.
struct SpaceSets {
  SetId chains, endpoints, local_endpoints, sticky, ids, no_endpoints;
};
const SpaceSets& sets_of(Space space);

// What identifies an address in a space: `ip daddr . meta l4proto . th dport`, or without daddr.
nft::Key key_of(Space space);
// The same of a connection whose destination was replaced.
nft::Key original_key_of(Space space);

inline constexpr const char* kRejectChain = "reject";

// Values of kNoEndpointServices and kNoEndpointNodePorts.
enum class Refusal : uint32_t { kDrop = 1, kReject = 2 };
nft::Data value_of(Refusal refusal);
// Elements of kRefusals.
std::vector<nft::Element> refusals();

// The chains that every table has, with their rules.
std::vector<nft::Chain> fixed_chains(Family family, const NodeFacts& node);
// Elements of kNodePortIps.
std::vector<nft::Element> node_port_ips(Family family, const NodeFacts& node);

// Ranges of pods in the family.
std::vector<IpPrefix> pod_ranges(Family family, const NodeFacts& node);

}  // namespace proa::proxy::nftables
