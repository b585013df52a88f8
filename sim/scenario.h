#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.h"
#include "sim/kubelets.h"

namespace proa::sim {

// A workload, the actions of its users, and its invariants.
class Scenario {
 public:
  virtual ~Scenario() = default;

  // Called before any fault.
  virtual void begin(Cluster& cluster) = 0;
  // One action of a user.
  virtual void act(Cluster& cluster) = 0;
  // From here on there are no faults and no user actions: stops whatever would never come to rest.
  virtual void calm(Cluster& cluster) { static_cast<void>(cluster); }
  // Upper bound of time steps while there are faults.
  virtual Duration max_pause() const { return std::chrono::seconds(8); }
  // Violated invariants that must hold at any time.
  virtual std::vector<std::string> violations_now(Cluster& cluster) = 0;
  // Violated invariants that must hold when the cluster is at rest.
  virtual std::vector<std::string> violations_at_rest(Cluster& cluster,
                                                      const Kubelets& kubelets) = 0;
};

// An entry of the table of scenarios.
struct ScenarioEntry {
  std::string_view name;
  std::unique_ptr<Scenario> (*make)();
};
std::span<const ScenarioEntry> all_scenarios();

}  // namespace proa::sim
