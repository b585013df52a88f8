#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"

namespace proa::network {

// Packets of pods that a node forwards, or takes itself.
struct Forwarding {
  std::vector<IpPrefix> own = {};   // this node's pods
  std::vector<IpPrefix> pods = {};  // those of all nodes, with these
  std::vector<IpAddress> dns = {};  // where this node answers its pods
  bool operator==(const Forwarding&) const = default;
};

// The same addresses in as few prefixes as possible, sorted: a packet is compared with one after
// the other, and the ranges of nodes mostly lie side by side.
std::vector<IpPrefix> merge_ranges(std::vector<IpPrefix> ranges);

// A chain of the table filter that packets of pods pass: those that are forwarded, and those to
// this machine.
enum class Hook : uint8_t { kForward, kInput };
// "FORWARD", "INPUT".
std::string_view hook_name(Hook hook);

// Our chain in the table filter of iptables, to which that of the hook leads.
std::string own_chain(const std::string& bridge, Hook hook = Hook::kForward);

// Whether the table filter has the chain of the hook. `saved`: the output of iptables-save, here
// and below.
bool has_hook(std::string_view saved, Hook hook = Hook::kForward);

// What it has of ours: our chain's rules.
std::string own_rules_of(std::string_view saved, const std::string& bridge,
                         Hook hook = Hook::kForward);

// Pure: the input for iptables-restore; empty if there is nothing to do. `known`: what
// own_rules_of() returned after these rules were written, should iptables-save print them in
// another way than this.
//
// The chain of the hook leads to ours behind the rules of others, so that what they drop stays
// dropped, and before the first rule that drops or rejects everything; that rule, and the policy,
// is what they would be dropped by. An accept ends the way through this table alone: a chain of
// another table at the same hook (that of NetworkPolicies) can still drop the packet.
std::string forward_text(std::string_view saved, const std::string& bridge,
                         const Forwarding& wanted, bool v6, std::string_view known = {},
                         Hook hook = Hook::kForward);

}  // namespace proa::network
