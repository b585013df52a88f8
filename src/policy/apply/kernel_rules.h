#pragma once

#include <vector>

#include "base/clock.h"
#include "netlink/nft/monitor.h"
#include "netlink/nft/transaction.h"
#include "netlink/socket.h"
#include "policy/rules/table_state.h"

namespace proa::policy {

// The tables of the network namespace of the thread that opens it: both families in one
// transaction. For one thread at a time.
class KernelRules {
 public:
  // `bridge`: the link of the pods; empty: not known. For the families that the kernel has; a
  // failure if it has none. REQUIRES: `clock` outlives it.
  static Result<KernelRules> open(const std::string& table, const std::string& bridge,
                                  Clock& clock);

  // The whole tables, whatever there was before. Packets see the old rules or the new ones.
  Result<void> replace(const PolicyModel& model);
  // What the model has changed since the last call of either. After a failure: replace().
  Result<void> apply(const PolicyModel& model, const ModelChange& change);
  // Readable when somebody else has changed some table.
  int descriptor() const { return monitor_.descriptor(); }
  // Whether it was one of ours.
  bool disturbed() { return monitor_.disturbed(); }

 private:
  struct FamilyTable {
    TableState state;
    // What the kernel did not let go yet.
    std::vector<std::string> old_chains = {};
    std::vector<std::string> old_sets = {};
  };

  KernelRules(Clock& clock, netlink::Socket socket, nft::Monitor monitor,
              std::vector<FamilyTable> tables)
      : clock_(&clock),
        socket_(std::move(socket)),
        monitor_(std::move(monitor)),
        tables_(std::move(tables)) {}
  void delete_unused();

  Clock* clock_;
  netlink::Socket socket_;
  nft::Monitor monitor_;
  std::vector<FamilyTable> tables_;
};

// Removes the tables of that name from this network namespace. False if there were none.
Result<bool> remove_policy_rules(const std::string& table, Clock& clock);

}  // namespace proa::policy
