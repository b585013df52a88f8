#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace proa::controllers::nodes {

// How fast nodes that are down may be emptied. Upstream's defaults.
struct EvictionRates {
  double normal = 0.1;      // nodes a second, in each zone
  double secondary = 0.01;  // of a large zone most of which is down
  size_t large_zone = 50;   // a smaller one is not emptied at all then
  float unhealthy_share = 0.55F;
};

enum class ZoneState : uint8_t { kInitial, kNormal, kPartialDisruption, kFullDisruption };

// REQUIRES: there are nodes.
ZoneState zone_state(size_t ready, size_t not_ready, const EvictionRates& rates);
// Nodes a second; zero: none.
double eviction_rate(ZoneState state, size_t nodes, const EvictionRates& rates);

// Says when it is a node's turn to be emptied. When much is down at once, it is more likely that
// something is wrong with the network than with all those nodes: then pods are moved more slowly,
// or not at all; and when everything seems to be down, nothing is moved. Touches nothing; for one
// thread at a time.
class Zones {
 public:
  explicit Zones(EvictionRates rates = {}) : rates_(rates) {}

  struct Standing {
    std::string zone;
    bool ready = false;
    bool counts = true;
    bool operator==(const Standing&) const = default;
  };
  // Who must be looked at again after something changed.
  struct Shift {
    bool everybody = false;  // all_down() changed
    std::vector<std::string> nodes = {};
  };

  // Everything that is there when the work begins. REQUIRES: nothing was set before.
  void begin(std::map<std::string, Standing> nodes, Steady now);
  Shift set(const std::string& node, const Standing& standing, Steady now);
  Shift remove(const std::string& node, Steady now);

  // No node that counts is ready: nothing is emptied, and nothing counts as lost.
  bool all_down() const { return all_down_; }

  // How long the node has to wait for its turn; zero when it has come, and it stays so until
  // give_back(); nullopt: as things are, it never comes; nor does that of a node that was not set.
  std::optional<Duration> wait_for_turn(const std::string& node, Steady now);
  // The node is empty, or healthy, and needs no turn.
  Shift give_back(const std::string& node);

 private:
  struct Waiting {
    std::string node;
    bool has_turn = false;
  };
  struct Zone {
    size_t nodes = 0;  // counted or not
    size_t ready = 0;
    size_t not_ready = 0;
    ZoneState state = ZoneState::kInitial;
    double rate = 0;
    Steady next{};                      // no turn before
    std::vector<Waiting> waiting = {};  // who came first is first

    size_t counted() const { return ready + not_ready; }
    Duration interval() const;
  };

  void enter(const Standing& standing, Steady now);
  void leave(const Standing& standing);
  Shift reassess(Steady now);
  static void change_rate(Zone& zone, double rate, Steady now, Shift& shift);
  static Shift stop_waiting(Zone& zone, const std::string& node);

  const EvictionRates rates_;
  std::map<std::string, Zone> zones_;
  std::map<std::string, Standing> nodes_;
  bool all_down_ = false;
};

}  // namespace proa::controllers::nodes
