#pragma once

#include <optional>
#include <string_view>

#include "api/object/object.h"
#include "base/result.h"
#include "policy/model/facts.h"

// What objects of the API mean for policies.

namespace proa::policy {

// Each selector is a set of addresses, which may be those of all pods, and each rule a part of the
// way of every new connection: a policy with more of them allows nothing (PolicyFacts::too_large),
// so that one user cannot keep a node busy for minutes, and its other pods without their policies.
// Blocks and ports do not count, however many a rule has.
constexpr size_t kMostSelectors = 100;
constexpr size_t kMostRules = 1000;

Result<PolicyFacts> read_policy(const api::Object& policy);

Labels read_labels(const api::Object& object);

// Nullopt: no address is the pod's own, because it has none yet, shares its node's, or has ended.
Result<std::optional<PodFacts>> read_pod(const api::Object& pod, std::string_view own_node);

// The same for a pod of this node whose addresses the API does not have yet. Nullopt if it has
// ended.
std::optional<PodFacts> read_starting_pod(const api::Object& pod,
                                          const std::vector<IpAddress>& addresses);

// "TCP", "UDP", "SCTP"; nullopt for others.
std::optional<uint8_t> protocol_number(std::string_view name);
std::string_view protocol_name(uint8_t number);

}  // namespace proa::policy
