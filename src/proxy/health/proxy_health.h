#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "base/clock.h"
#include "http/wire/message.h"
#include "proxy/model/service_port.h"

namespace proa::proxy {

// Whether rules follow the Services. Unhealthy if a change has waited for longer than a minute.
// Thread-safe. REQUIRES: the clock outlives it.
class ProxyHealth {
 public:
  explicit ProxyHealth(const Clock& clock) : clock_(clock) {}

  // A change waits for its rules.
  void queued() EXCLUDES(mutex_);
  // Rules are those of all that was queued.
  void updated(Family family) EXCLUDES(mutex_);
  // Whether load balancers may send traffic to this node.
  void set_eligible(bool eligible) EXCLUDES(mutex_);

  bool healthy() const EXCLUDES(mutex_);
  // With the node: what load balancers ask. Without: what restarts a proxy.
  http::Response healthz() const EXCLUDES(mutex_);
  http::Response livez() const EXCLUDES(mutex_);

 private:
  struct Side {
    std::optional<Time> updated;
    std::optional<Steady> waits_since;
  };
  bool healthy(const Side& side) const REQUIRES(mutex_);
  bool all_healthy() const REQUIRES(mutex_);
  http::Response response(std::optional<bool> eligible) const REQUIRES(mutex_);

  const Clock& clock_;
  mutable Mutex mutex_;
  std::array<Side, 2> sides_ GUARDED_BY(mutex_);  // per Family
  bool eligible_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::proxy
