#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace proa::controllers::nodes {

// Eviction rates of unhealthy nodes. Upstream's defaults.
struct EvictionRates {
  double normal = 0.1;      // nodes per second and zone
  double secondary = 0.01;  // in a large zone that is mostly unhealthy
  size_t large_zone = 50;   // smaller zones are not evicted in that state
  float unhealthy_share = 0.55F;
};

enum class ZoneState : uint8_t { kInitial, kNormal, kPartialDisruption, kFullDisruption };

// REQUIRES: the zone has nodes.
ZoneState zone_state(size_t ready, size_t not_ready, const EvictionRates& rates);
// Nodes per second; zero: no eviction.
double eviction_rate(ZoneState state, size_t nodes, const EvictionRates& rates);

// Limits the rate of evictions per zone. If many nodes fail at once, the network is a more likely
// cause than the nodes, so evictions slow down or stop; if all nodes seem down, there are none.
// Pure state, no I/O; for one thread at a time.
class Zones {
 public:
  explicit Zones(EvictionRates rates = {}) : rates_(rates) {}

  struct NodeState {
    std::string zone;
    bool ready = false;
    bool counts = true;
    bool operator==(const NodeState&) const = default;
  };
  // Nodes that must be reconciled after a change.
  struct Shift {
    bool everybody = false;  // all_down() changed
    std::vector<std::string> nodes = {};
  };

  // Sets all nodes at start. REQUIRES: nothing was set before.
  void begin(std::map<std::string, NodeState> nodes, Steady now);
  Shift set(const std::string& node, const NodeState& node_state, Steady now);
  Shift remove(const std::string& node, Steady now);

  // No counted node is ready: nothing is evicted, and no node counts as lost.
  bool all_down() const { return all_down_; }

  // How long the node must wait for eviction; zero if it may start, until give_back(); nullopt: not
  // in the current state, or the node is unknown.
  std::optional<Duration> wait_for_turn(const std::string& node, Steady now);
  // The node is drained or healthy.
  Shift give_back(const std::string& node);

 private:
  struct Waiting {
    std::string node;
    bool has_turn = false;
  };
  struct Zone {
    size_t nodes = 0;  // all nodes of the zone
    size_t ready = 0;
    size_t not_ready = 0;
    ZoneState state = ZoneState::kInitial;
    double rate = 0;
    Steady next{};                      // no eviction before
    std::vector<Waiting> waiting = {};  // first come, first served

    size_t counted() const { return ready + not_ready; }
    Duration interval() const;
  };

  void enter(const NodeState& node_state, Steady now);
  void leave(const NodeState& node_state);
  Shift reassess(Steady now);
  static void change_rate(Zone& zone, double rate, Steady now, Shift& shift);
  static Shift stop_waiting(Zone& zone, const std::string& node);

  const EvictionRates rates_;
  std::map<std::string, Zone> zones_;
  std::map<std::string, NodeState> nodes_;
  bool all_down_ = false;
};

}  // namespace proa::controllers::nodes
