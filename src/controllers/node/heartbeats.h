#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "controllers/node/node_facts.h"

namespace proa::controllers::nodes {

// The last heartbeat of each node: a renewal of its Lease, or of its status. Measured with the
// clock of this process, since the clocks of nodes may be wrong; at start all nodes count as just
// seen. Thread-safe.
class Heartbeats {
 public:
  // `clock` outlives it.
  explicit Heartbeats(const Clock& clock) : clock_(clock) {}

  // A Lease with this renewTime was seen. An unchanged or older time is not a heartbeat.
  void renewed(const std::string& node, std::string_view renew_time) EXCLUDES(mutex_);
  void lease_gone(const std::string& node) EXCLUDES(mutex_);
  // Updates the state from the Node object.
  void observe(const std::string& node, const NodeFacts& facts) EXCLUDES(mutex_);
  // REQUIRES: observe() was called for it.
  Steady last(const std::string& node) const EXCLUDES(mutex_);
  // Counts all nodes as just seen.
  void restart() EXCLUDES(mutex_);
  void forget(const std::string& node) EXCLUDES(mutex_);

 private:
  struct NodeHeartbeat {
    std::string renew_time = {};
    bool observed = false;
    bool has_status = false;  // it had a Ready condition
    std::string heartbeat = {};
    Steady last = Steady::min();
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, NodeHeartbeat> heartbeats_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers::nodes
