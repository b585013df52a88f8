#include "testkit/scheduler/generator.h"

#include <algorithm>

#include "testkit/scheduler/generator/plot.h"

namespace proa::testkit {
namespace generator {

// Random streams that belong to no feature.
enum class Basic : uint8_t { kSize = 100, kFeatures, kNode, kPod };
// Pending pods are numbered from here, so that they do not depend on the number of running ones.
constexpr size_t kFirstPending = 1000;

Dice basic_dice(const Plot& plot, Basic what, uint64_t which) {
  return {plot.seed, static_cast<uint64_t>(what), which};
}

FeatureSet draw_features(const Plot& plot) {
  FeatureSet drawn;
  for (size_t index = 0; index < kFeatureCount; ++index) {
    // Without zones many other features have no effect.
    const bool often = index == static_cast<size_t>(Feature::kTopology);
    drawn.set(index, basic_dice(plot, Basic::kFeatures, index).percent(often ? 85 : 45));
  }
  return drawn;
}

int draw_node_count(Dice& dice) {
  switch (dice.below(3)) {
    case 0:
      return dice.between(1, 5);
    case 1:
      return dice.between(6, 20);
    default:
      return dice.between(21, 50);
  }
}

// Parts in the order in which they are applied.
template <typename Apply>
void each_part(const Plot& plot, size_t which, Apply apply) {
  for (const std::span<const Part> parts :
       {parts_of_resources(), parts_of_placement(), parts_of_relations(), parts_of_storage(),
        parts_of_life()}) {
    for (const Part& part : parts) {
      if (!plot.has(part.feature)) continue;
      Dice dice = plot.dice(part.feature, which);
      apply(part, dice);
    }
  }
}

api::ObjectPtr generate_node(const Plot& plot, size_t index) {
  Dice dice = basic_dice(plot, Basic::kNode, index);
  NodeBuilder builder = make_node(Plot::node_name(index));
  builder.version(static_cast<int64_t>(index) + 1);
  std::map<std::string, std::string> capacity = {
      {"cpu", dice.pick({"4", "8", "8", "3920m", "16", "32"})},
      {"memory", dice.pick({"8Gi", "8Gi", "7820Mi", "16Gi", "32G", "64Gi"})},
      {"pods", "110"}};
  if (!plot.has(Feature::kTopology) || dice.percent(93)) builder.hostname(Plot::node_name(index));
  if (dice.percent(80)) builder.label("disk", dice.pick({"ssd", "hdd"}));
  if (dice.percent(85)) builder.label("cores", dice.pick({"4", "8", "16", "010", "many"}));
  if (dice.percent(60)) builder.label("arch", dice.pick({"amd64", "arm64"}));
  NodePlan node{.index = index, .builder = builder, .capacity = capacity};
  // A node's random stream differs from that of a pod with the same index.
  each_part(plot, (uint64_t{1} << 32) + index, [&](const Part& part, Dice& own) {
    if (part.to_node != nullptr) part.to_node(plot, own, node);
  });
  builder.capacity(Pairs(capacity.begin(), capacity.end()));
  return builder.object();
}

Pairs random_labels(Dice& dice) {
  Pairs labels;
  if (dice.percent(88)) labels.emplace_back("app", random_app(dice));
  if (dice.percent(50)) labels.emplace_back("tier", dice.pick({"front", "back"}));
  if (dice.percent(70)) labels.emplace_back("version", dice.pick({"1", "2"}));
  return labels;
}

// Null if it would run on a node that was left out.
api::ObjectPtr generate_pod(const Plot& plot, size_t index, TestCluster& cluster) {
  Dice dice = basic_dice(plot, Basic::kPod, index);
  const bool waits = index >= kFirstPending;
  const size_t node = dice.below(plot.drawn_nodes);
  const size_t place = dice.below(4);
  if (!waits && node >= plot.nodes) return nullptr;
  const std::string name =
      waits ? "pending-" + std::to_string(index - kFirstPending) : "pod-" + std::to_string(index);
  const std::vector<std::string> name_spaces = namespaces_of(plot);
  PodBuilder builder = make_pod(name);
  PodPlan pod{.index = index,
              .name = name,
              .name_space = name_spaces[place < name_spaces.size() ? place : 0],
              .labels = random_labels(dice),
              .node = waits ? "" : Plot::node_name(node),
              .cluster = cluster,
              .builder = builder};
  builder.in(pod.name_space).labels(pod.labels).version(static_cast<int64_t>(index) + 100);
  if (!waits) builder.node(pod.node);
  each_part(plot, index, [&](const Part& part, Dice& own) {
    if (part.to_pod != nullptr) part.to_pod(plot, own, pod);
  });
  return builder.object();
}

void add_namespaces(const Plot& plot, TestCluster& cluster) {
  for (const std::string& name : namespaces_of(plot)) {
    NamespaceBuilder builder = make_namespace(name);
    if (name == "team-a") builder.label("env", "prod").label("team", "a");
    if (name == "team-b") builder.label("env", "test");
    cluster.namespaces.push_back(builder.object());
  }
}

constexpr std::string_view kNames[] = {"Namespaces",
                                       "Topology",
                                       "Taints",
                                       "Unschedulable",
                                       "Scarcity",
                                       "Requests",
                                       "ExtendedResources",
                                       "InitContainers",
                                       "Overhead",
                                       "PodLevelResources",
                                       "Resize",
                                       "HostPorts",
                                       "Images",
                                       "DeclaredFeatures",
                                       "NodeSelector",
                                       "NodeAffinity",
                                       "PreferredNodes",
                                       "PodAffinity",
                                       "PodAntiAffinity",
                                       "PreferredPods",
                                       "NamespacesOfTerms",
                                       "LabelKeys",
                                       "HardSpread",
                                       "SoftSpread",
                                       "Owners",
                                       "BoundClaims",
                                       "WaitingClaims",
                                       "BrokenClaims",
                                       "ExclusiveClaims",
                                       "CsiLimits",
                                       "CsiCapacity",
                                       "InlineVolumes",
                                       "Disks",
                                       "Terminating",
                                       "Finished",
                                       "Priorities",
                                       "Budgets",
                                       "Nominated"};
static_assert(std::size(kNames) == kFeatureCount);

}  // namespace generator

std::string_view feature_name(Feature feature) {
  return generator::kNames[static_cast<size_t>(feature)];
}

TestCluster generate_cluster(Random& random, const GeneratorOptions& options) {
  using namespace generator;
  Plot plot{.seed = random.next()};
  plot.features = draw_features(plot) & options.features;
  Dice dice = basic_dice(plot, Basic::kSize, 0);
  plot.drawn_nodes = static_cast<size_t>(draw_node_count(dice));
  plot.nodes = std::min(plot.drawn_nodes, options.max_nodes);
  const size_t pods =
      std::min(dice.below(std::min<size_t>(200, 6 * plot.drawn_nodes) + 1), options.max_pods);
  const size_t pending = std::min(dice.below(5) + 1, options.max_pending);

  TestCluster cluster;
  add_namespaces(plot, cluster);
  add_owners(plot, cluster);
  add_budgets(plot, cluster);
  add_storage(plot, cluster);
  for (size_t i = 0; i < plot.nodes; ++i) cluster.nodes.push_back(generate_node(plot, i));
  for (size_t i = 0; i < pods; ++i) {
    if (api::ObjectPtr pod = generate_pod(plot, i, cluster)) cluster.pods.push_back(std::move(pod));
  }
  for (size_t i = 0; i < pending; ++i)
    cluster.pending.push_back(generate_pod(plot, kFirstPending + i, cluster));
  return cluster;
}

}  // namespace proa::testkit
