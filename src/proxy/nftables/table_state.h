#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "netlink/nft/ruleset.h"
#include "proxy/nftables/address_rules.h"
#include "proxy/nftables/sticky_ids.h"
#include "proxy/rules.h"

namespace proa::proxy::nftables {

// A chain that nothing wanted leads to, and the element that still does: while it is there, packets
// that were just classified go their way.
struct UnusedChain {
  std::string name;
  std::optional<TableElement> verdict = std::nullopt;
};

// What is to change in a table. An element with another value than before is in both lists.
struct TableChange {
  struct Elements {
    std::vector<nft::Element> removed;
    std::vector<nft::Element> added;
  };
  std::array<Elements, kSets> sets;
  std::vector<nft::Chain> new_chains;
  std::vector<UnusedChain> unused_chains;
  // Elements that packets have added and that now lead nowhere.
  std::set<Memory> forgotten;
};

// The table of one family as it should be. It remembers which ports of Services claim which
// address: where there are several, the first by name has it, so that the state does not depend on
// the order of events.
class TableState {
 public:
  explicit TableState(Family family) : family_(family) {}

  // The state with these ports of the family, and no others.
  void assign(const NodeFacts& node, std::span<const ServicePortPtr> all);
  // The difference that the changes make. Ports of the other family are ignored.
  TableChange change(std::span<const Change> changes);

  Family family() const { return family_; }
  // All of it. Elements that packets add are not known here.
  nft::Table table() const;
  // Where affinity may lead.
  std::set<Memory> memories() const;

 private:
  // Sorted by name.
  using Claims = std::vector<ServicePortPtr>;
  struct ChainUse {
    SharedChain chain;
    size_t uses = 0;
  };
  // What changes touch, as it was before.
  struct Before {
    std::unordered_map<Address, ServicePortPtr, AddressHash> owners;
    std::map<std::string, std::optional<SharedChain>> chains;  // by name; none: it did not exist
    std::map<std::string, bool> common;                        // the same, by key in common_
  };

  ServicePortPtr owner_of(const Address& address) const;
  uint32_t sticky_id(const ServicePort& port) const;  // zero: it has no affinity
  void forget(const Change& change, std::set<Memory>& forgotten);
  void add(const ServicePortPtr& port, Before& before);
  void remove(const ServicePortPtr& port, Before& before);
  void use(const SharedChain& chain, Before& before);
  void disuse(const SharedChain& chain, Before& before);
  void update_address(const Address& address, const ServicePort* previous, Before& before,
                      TableChange& change);

  Family family_;
  NodeFacts node_;
  std::unordered_map<Address, Claims, AddressHash> claims_;
  std::map<std::string, ChainUse> chains_;  // by name
  // How many ports need an element of common_elements(); by set (one byte) and key.
  std::unordered_map<std::string, uint32_t> common_;
  StickyIds sticky_ids_;  // of all ports that have affinity
};

}  // namespace proa::proxy::nftables
