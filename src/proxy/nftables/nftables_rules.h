#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "netlink/nft/monitor.h"
#include "netlink/socket.h"
#include "proxy/nftables/table_state.h"
#include "proxy/rules.h"

namespace proa::proxy::nftables {

// The families whose tables this kernel has. A failure if it has none.
Result<std::vector<Family>> usable_families(Clock& clock);

// The rules in tables `ip proa-proxy` and `ip6 proa-proxy`, written by netlink: both families in
// one transaction.
class NftablesRules final : public Rules {
 public:
  // In the network namespace of the calling thread, for these families. REQUIRES: `clock` outlives
  // it.
  static Result<std::unique_ptr<NftablesRules>> open(Clock& clock,
                                                     std::span<const Family> families);

  Result<void> replace(const NodeFacts& node, std::span<const ServicePortPtr> all) override;
  Result<void> apply(std::span<const Change> changes) override;
  Result<void> remove() override;
  int descriptor() const override { return monitor_.descriptor(); }
  bool disturbed() override { return monitor_.disturbed(); }

 private:
  struct FamilyTable {
    TableState state;
    // Chains that the kernel did not let go yet.
    std::vector<UnusedChain> unused_chains;
  };

  NftablesRules(Clock& clock, netlink::Socket socket, nft::Monitor monitor,
                std::span<const Family> families);

  Until deadline() const;
  // Sends differences only. kConflict if a table is not there, or not like ours.
  Result<void> replace_differences(std::span<const nft::Table> wanted);
  Result<void> replace_tables(std::span<const nft::Table> wanted);
  void delete_unused_chains();
  using IsStale = std::function<bool(const Memory&)>;
  // Deletes stale elements of the affinity map. Packets add them, so that elements may come and go
  // meanwhile; but none that leads to an endpoint which is not in the maps.
  Result<void> forget(Family family, const IsStale& stale);
  Result<void> try_to_forget(Family family, const IsStale& stale);

  Clock& clock_;
  netlink::Socket socket_;
  nft::Monitor monitor_;
  std::vector<FamilyTable> tables_;
};

}  // namespace proa::proxy::nftables
