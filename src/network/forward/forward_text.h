#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"

namespace proa::network {

// Packets of pods that a node forwards.
struct Forwarding {
  std::vector<IpPrefix> own = {};   // this node's pods
  std::vector<IpPrefix> pods = {};  // those of all nodes, with these
  bool operator==(const Forwarding&) const = default;
};

// The same addresses in as few prefixes as possible, sorted: a packet is compared with one after
// the other, and the ranges of nodes mostly lie side by side.
std::vector<IpPrefix> merge_ranges(std::vector<IpPrefix> ranges);

// Our chain in the table filter of iptables, to which FORWARD leads.
std::string forward_chain(const std::string& bridge);

// Whether the table filter has the chain FORWARD. `saved`: the output of iptables-save, here and
// below.
bool has_forward(std::string_view saved);

// What it has of ours: our chain's rules.
std::string forward_rules_of(std::string_view saved, const std::string& bridge);

// Pure: the input for iptables-restore; empty if there is nothing to do. `known`: what
// forward_rules_of() returned after these rules were written, should iptables-save print them in
// another way than this.
//
// FORWARD leads to our chain behind the rules of others, so that what they drop stays dropped, and
// before the first rule that drops or rejects everything; that rule, and the policy, is what
// they would be dropped by. An accept ends the way through this table alone: a chain of another
// table at the same hook (that of NetworkPolicies) can still drop the packet.
std::string forward_text(std::string_view saved, const std::string& bridge,
                         const Forwarding& wanted, bool v6, std::string_view known = {});

}  // namespace proa::network
