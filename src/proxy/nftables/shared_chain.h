#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "proxy/nftables/layout.h"

// Chains that Services lead to. They name no Service: all that have the same number of endpoints,
// and the same options, share one. What is behind an address is found in maps.

namespace proa::proxy::nftables {

// Of one port of a Service; others get no traffic. Numbers of endpoints are parts of a class.
inline constexpr uint32_t kMostEndpoints = 65535;
inline constexpr uint32_t kMostLocalEndpoints = 4095;

// Endpoints for traffic of policy Cluster, or those of this node only.
enum class List : uint8_t { kAll, kLocal };

// Picks one of `count` endpoints of the address that the packet is for.
struct PickChain {
  Space space = Space::kServiceIp;
  List list = List::kAll;
  uint32_t count = 0;
  bool sticky = false;  // the same as last time, if there was one

  bool operator==(const PickChain&) const = default;
};

// External traffic, before the pick.
struct ExternalChain {
  Space space = Space::kServiceIp;
  bool local_policy = false;
  uint32_t count = 0;
  uint32_t local_count = 0;  // of policy Local; may be zero
  bool sticky = false;

  bool operator==(const ExternalChain&) const = default;
};

// Drops what comes from elsewhere.
struct SourcesChain {
  std::vector<IpPrefix> ranges;

  bool operator==(const SourcesChain&) const = default;
};

// Remembers the endpoint of a new connection for its client.
struct RememberChain {
  Space space = Space::kServiceIp;
  uint32_t seconds = 0;

  bool operator==(const RememberChain&) const = default;
};

using SharedChain = std::variant<PickChain, ExternalChain, SourcesChain, RememberChain>;

// How Services name the chain that they lead to: as a number, for which a map has the verdict.
// Equal classes, equal chains.
struct ChainClass {
  SetId verdicts = SetId::kClasses;
  nft::Data key;

  bool operator==(const ChainClass&) const = default;
};
// None: verdicts lead to the chain directly.
std::optional<ChainClass> class_of(const SharedChain& chain);

// Unique: equal names, equal chains.
std::string name_of(const SharedChain& chain);
// The chains that this one leads to, which must exist before.
std::vector<SharedChain> needed_by(const SharedChain& chain);
nft::Chain make_chain(const SharedChain& chain, Family family, const NodeFacts& node);

}  // namespace proa::proxy::nftables
