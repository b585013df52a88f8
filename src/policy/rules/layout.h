#pragma once

#include <string>
#include <vector>

#include "netlink/nft/ruleset.h"
#include "policy/model/policy_model.h"

// How policies look in the kernel: a table of each family, `proa-policy` unless several nodes share
// a machine.
//
// A pod of this node that is isolated leads, by its address, to a chain of its policies, which it
// shares with the pods that have the same ones. That chain visits each policy's chain, which
// accepts what the policy allows, and drops the rest. Egress and ingress have base chains of their
// own, for an accept ends one base chain only. Packets of known connections leave each base chain
// at once: the cost is that of new ones.

namespace proa::policy {

namespace nft = netlink::nft;

constexpr const char* kTable = "proa-policy";
constexpr nft::Family kFamilies[] = {nft::Family::kIp, nft::Family::kIp6};
nft::Family family_of(const IpAddress& address);

// Maps from addresses of isolated pods to the chain of their policies.
const nft::Set& pods_map(Direction direction);
// Pods that are isolated in some direction.
const nft::Set& restricted_set();
// The same, twice: packets of a pod to itself.
const nft::Set& itself_set();
// `bridge`: the link of the pods; empty: not known.
std::vector<nft::Chain> base_chains(nft::Family family, const std::string& bridge);

nft::Set set_of(SetId id, const SetMeaning& meaning);
nft::Element element_of(const SetElement& element);

// A policy in one direction: sets that it has for itself, and chains, of which the first is the one
// that is visited.
struct PolicyRules {
  std::vector<nft::FilledSet> sets = {};
  std::vector<nft::Chain> chains = {};
};
PolicyRules policy_rules(nft::Family family, PolicyId id, const ActivePolicy& policy,
                         Direction direction);
std::string policy_chain_name(PolicyId id, const ActivePolicy& policy, Direction direction);

// The chain of pods with these policies. `name`: its own.
nft::Chain pods_chain(std::string name, const std::vector<std::string>& policies);

}  // namespace proa::policy
