#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "scheduler/model/cluster.h"

namespace proa::scheduler {

// The pods on nodes, without those being deleted, by namespace and shape: selectors are evaluated
// once per shape instead of once per pod. Updated from the cluster's change log on access. For one
// thread.
class PlacedPods {
 public:
  // Pods of one shape.
  struct Group {
    ShapePtr shape = {};
    std::unordered_map<NodeIndex, int32_t> on = {};  // how many; never zero
  };
  using Groups = std::unordered_map<const PodShape*, Group>;

  // `cluster` outlives it.
  explicit PlacedPods(const Cluster& cluster) : cluster_(cluster) {}

  // The current pods, unordered. Valid until the next call.
  const Groups& in(const std::string& name_space);

 private:
  void catch_up();
  void count_all();
  void count(const Pod& pod, NodeIndex node, int32_t pods);

  const Cluster& cluster_;
  std::optional<uint64_t> next_change_;  // nullopt: not counted yet
  std::unordered_map<std::string, Groups> namespaces_;
};

}  // namespace proa::scheduler
