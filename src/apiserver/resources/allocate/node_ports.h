#pragma once

#include <cstdint>
#include <set>

#include "apiserver/resources/allocate/allocation_metrics.h"
#include "apiserver/resources/allocate/cluster_ips.h"
#include "apiserver/resources/allocate/network.h"
#include "base/random.h"
#include "store/store.h"

namespace proa::apiserver {

// What one commit takes: a Service may have thousands of ports, so they are not searched for in the
// transaction.
struct PortCommit {
  store::Txn& txn;
  std::set<int64_t> taken = {};
};

// Allocates node ports. An allocated port is a store key with the Service's name, written in the
// Service's commit. Thread-safe.
class NodePorts {
 public:
  // All arguments outlive it.
  NodePorts(const store::Store& store, const PortRange& range, Random& random)
      : store_(store), range_(range), random_(random) {}

  // Allocates a free port; as upstream, a dry run gets one beyond the range. Fails with
  // kInternalError if there is none.
  Result<int64_t> choose(const ServiceName& owner, PortCommit& commit, bool dry_run) const;
  // Allocates a given port; as upstream, a dry run takes any. Fails with kInvalid and upstream's
  // message if it is not available.
  Result<void> reserve(int64_t port, const ServiceName& owner, PortCommit& commit,
                       bool dry_run) const;
  // Releases it, if it belongs to the owner.
  Result<void> release(int64_t port, const ServiceName& owner, PortCommit& commit) const;

  // Counts what is taken, for the metrics.
  void measure() const;
  void write_metrics(MetricsText& text) const { metrics_.write(text); }

 private:
  uint64_t size() const { return static_cast<uint64_t>(range_.last - range_.first + 1); }
  Result<bool> is_taken(int64_t port, const PortCommit& commit) const;
  Result<std::vector<uint64_t>> all_taken(const PortCommit& commit) const;
  static void take(int64_t port, const ServiceName& owner, PortCommit& commit);

  const store::Store& store_;
  const PortRange range_;
  Random& random_;
  mutable NodePortMetrics metrics_;
};

}  // namespace proa::apiserver
