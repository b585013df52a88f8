#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cluster.h"
#include "sim/kubelets.h"

namespace proa::sim {

// A kind of workload, what users do with it, and what must hold then.
class Scenario {
 public:
  virtual ~Scenario() = default;

  // Before anything goes wrong.
  virtual void begin(Cluster& cluster) = 0;
  // Something that a user does.
  virtual void act(Cluster& cluster) = 0;
  // Nothing goes wrong from here on, and no user acts: what would never come to rest by itself is
  // stopped.
  virtual void calm(Cluster& cluster) { static_cast<void>(cluster); }
  // Time passes in leaps that are shorter than this, while things go wrong.
  virtual Duration longest_pause() const { return std::chrono::seconds(8); }
  // What must hold at any moment: what does not, in words.
  virtual std::vector<std::string> complaints_now(Cluster& cluster) = 0;
  // What must hold when nothing happens any more.
  virtual std::vector<std::string> complaints_at_the_end(Cluster& cluster,
                                                         const Kubelets& kubelets) = 0;
};

// One line of the table of scenarios.
struct ScenarioEntry {
  std::string_view name;
  std::unique_ptr<Scenario> (*make)();
};
std::span<const ScenarioEntry> all_scenarios();

}  // namespace proa::sim
