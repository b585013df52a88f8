#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "controllers/node/node_facts.h"

namespace proa::controllers::nodes {

// When each node was last heard of: by its Lease, which a kubelet renews every ten seconds, or by
// the heartbeat in its status. Counted by the clock of this process, because those of nodes may be
// wrong; so a process that begins has heard of all of them just now. Safe to use from any thread.
class SignsOfLife {
 public:
  // `clock` outlives it.
  explicit SignsOfLife(const Clock& clock) : clock_(clock) {}

  // A Lease with this renewTime was seen. One that is no later than the last one is no sign.
  void renewed(const std::string& node, std::string_view renew_time) EXCLUDES(mutex_);
  void lease_gone(const std::string& node) EXCLUDES(mutex_);
  // The node as it is now.
  void looked_at(const std::string& node, const NodeFacts& facts) EXCLUDES(mutex_);
  // REQUIRES: it was looked at.
  Steady last(const std::string& node) const EXCLUDES(mutex_);
  // As if all nodes had been heard of just now.
  void begin_anew() EXCLUDES(mutex_);
  void forget(const std::string& node) EXCLUDES(mutex_);

 private:
  struct Signs {
    std::string renew_time = {};
    bool looked_at = false;
    bool has_status = false;  // the condition Ready was there
    std::string heartbeat = {};
    Steady last = Steady::min();
  };

  const Clock& clock_;
  mutable Mutex mutex_;
  std::unordered_map<std::string, Signs> signs_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers::nodes
