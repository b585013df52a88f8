#pragma once

#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/random.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/generator.h"

// Shared by the parts of the generator.

namespace proa::testkit::generator {

// A random stream, determined by its three seeds.
class Dice {
 public:
  Dice(uint64_t seed, uint64_t what, uint64_t which)
      : random_(seed ^ (what * 0xD6E8FEB86659FD93) ^ (which * 0xA5A3564E27F88695)) {}

  size_t below(size_t bound) { return random_.below(bound); }
  // Inclusive bounds.
  int between(int least, int most) {
    return least + static_cast<int>(below(static_cast<size_t>(most - least + 1)));
  }
  bool percent(size_t chance) { return below(100) < chance; }
  std::string pick(std::initializer_list<std::string_view> all) {
    return std::string(all.begin()[below(all.size())]);
  }

 private:
  SeededRandom random_;
};

// The plan of a cluster.
struct Plot {
  uint64_t seed = 0;
  FeatureSet features = {};
  size_t drawn_nodes = 0;  // including those that options left out
  size_t nodes = 0;

  bool has(Feature feature) const { return features.test(static_cast<size_t>(feature)); }
  Dice dice(Feature feature, uint64_t which) const {
    return {seed, static_cast<uint64_t>(feature) + 1, which};
  }
  static std::string node_name(size_t index) { return "node-" + std::to_string(index); }
  // May have been left out.
  std::string any_node(Dice& dice) const { return node_name(dice.below(drawn_nodes)); }
};

struct NodePlan {
  size_t index = 0;
  NodeBuilder& builder;
  std::map<std::string, std::string>& capacity;
};

struct PodPlan {
  size_t index = 0;
  std::string name = {};
  std::string name_space = {};
  Pairs labels = {};
  std::string node = {};  // empty for pending pods
  TestCluster& cluster;   // receives objects that the pod needs
  PodBuilder& builder;

  bool runs() const { return !node.empty(); }
  // Empty if it has none.
  std::string_view label(std::string_view key) const;
};

inline constexpr std::string_view kHostname = "kubernetes.io/hostname";
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";

std::string random_app(Dice& dice);
std::string random_zone(Dice& dice);
std::string random_topology_key(Dice& dice);
std::vector<std::string> namespaces_of(const Plot& plot);

// JSON text: ["a","b"] and {"a":"b"}.
std::string json_text(std::string_view text);
std::string json_list(const Names& names);
std::string json_map(const Pairs& pairs);

// A part of the generator: applies a feature to a node and to a pod. Either may be null.
struct Part {
  Feature feature;
  void (*to_node)(const Plot& plot, Dice& dice, NodePlan& node);
  void (*to_pod)(const Plot& plot, Dice& dice, PodPlan& pod);
};
std::span<const Part> parts_of_placement();
std::span<const Part> parts_of_resources();
std::span<const Part> parts_of_relations();
std::span<const Part> parts_of_storage();
std::span<const Part> parts_of_life();

// Objects that exist without any pod.
void add_owners(const Plot& plot, TestCluster& cluster);
void add_budgets(const Plot& plot, TestCluster& cluster);
void add_storage(const Plot& plot, TestCluster& cluster);

}  // namespace proa::testkit::generator
