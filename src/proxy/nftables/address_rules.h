#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "netlink/nft/ruleset.h"
#include "proxy/model/node_facts.h"
#include "proxy/model/service_port.h"
#include "proxy/nftables/layout.h"
#include "proxy/nftables/shared_chain.h"

namespace proa::proxy::nftables {

// Where packets for a port of a Service arrive.
struct Address {
  Space space = Space::kServiceIp;
  Protocol protocol = Protocol::kTcp;
  uint16_t port = 0;
  IpAddress ip = {};  // zero for node ports

  bool operator==(const Address&) const = default;
};

struct AddressHash {
  size_t operator()(const Address& address) const;
};

struct TableElement {
  SetId set = SetId::kCount;
  nft::Element element;

  bool operator==(const TableElement&) const = default;
};

// Elements about one address, and the chains that they lead to.
struct AddressRules {
  std::vector<TableElement> elements;
  std::vector<SharedChain> chains;
};

// Its cluster IP, external and load balancer IPs, and its node port; each once.
std::vector<Address> addresses_of(const ServicePort& port);

// `sticky_id`: the port's, if it has affinity.
AddressRules rules_at(const Address& address, const ServicePort& port, uint32_t sticky_id,
                      const NodeFacts& node);

// Clients are remembered for all addresses of a port together, except where policy Local gives some
// of them other endpoints. Part of the number that stands for the port.
enum class Scope : uint32_t { kCluster = 0, kInternalLocal = 1, kExternalLocal = 2 };

// That a client is led to an endpoint again (affinity): the part of an element of the affinity map
// that does not name the client.
struct Memory {
  nft::Data key;       // of the port of a Service, and the scope
  nft::Data endpoint;  // the value

  auto operator<=>(const Memory&) const = default;
};

// Whether clients of an external address with policy Local may be remembered for endpoints of other
// nodes. Pods are, others are not; elements do not tell them apart.
enum class Remote : uint8_t { kAllowed, kForbidden };

// Where affinity may lead. REQUIRES: the port has affinity, and this number.
std::set<Memory> memories_of(const ServicePort& port, uint32_t sticky_id, Remote remote);

// Elements that other ports may need, too: its cluster IP, its endpoints on this node.
std::vector<TableElement> common_elements(const ServicePort& port);

}  // namespace proa::proxy::nftables
