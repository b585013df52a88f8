#pragma once

#include <cstdint>

#include "apiserver/resources/allocate/cluster_ips.h"
#include "apiserver/resources/allocate/network.h"
#include "base/random.h"
#include "store/store.h"

namespace proa::apiserver {

// Ports of nodes that Services have. One that is taken is a key of its own in the store, which
// names the Service, and comes and goes in its commit. From any thread.
class NodePorts {
 public:
  // Everything outlives it.
  NodePorts(const store::Store& store, const PortRange& range, Random& random)
      : store_(store), range_(range), random_(random) {}

  // Takes one that is free. kInternalError when there is none.
  Result<int64_t> choose(const ServiceName& owner, store::Txn& txn) const;
  // Takes a certain one. kInvalid, in upstream's words, when it can't be had.
  Result<void> reserve(int64_t port, const ServiceName& owner, store::Txn& txn) const;
  // Gives it back, if it is the owner's.
  Result<void> release(int64_t port, const ServiceName& owner, store::Txn& txn) const;

 private:
  Result<bool> is_taken(int64_t port, const store::Txn& txn) const;
  Result<std::vector<uint64_t>> all_taken(const store::Txn& txn) const;
  void take(int64_t port, const ServiceName& owner, store::Txn& txn) const;

  const store::Store& store_;
  const PortRange range_;
  Random& random_;
};

}  // namespace proa::apiserver
