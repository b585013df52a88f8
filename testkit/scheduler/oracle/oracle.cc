#include "testkit/scheduler/oracle/oracle.h"

#include "testkit/scheduler/oracle/oracle_affinity.h"
#include "testkit/scheduler/oracle/oracle_node_selector.h"
#include "testkit/scheduler/oracle/oracle_nodes.h"
#include "testkit/scheduler/oracle/oracle_resources.h"
#include "testkit/scheduler/oracle/oracle_spread.h"
#include "testkit/scheduler/oracle/oracle_volume_binding.h"
#include "testkit/scheduler/oracle/oracle_volume_limits.h"
#include "testkit/scheduler/oracle/oracle_volumes.h"
#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit {
namespace oracle {

struct Plugin {
  const char* name;
  Prepared (*prepare)(const Question&) = nullptr;
  Scores (*score)(const Question&, const Nodes&) = nullptr;
  int64_t weight = 1;
};

// The default profile, in its order (getDefaultPlugins), without DynamicResources,
// NodeDeclaredFeatures and what does not decide about nodes.
constexpr Plugin kPlugins[] = {
    {"NodeUnschedulable", prepare_node_unschedulable},
    {"NodeName", prepare_node_name},
    {"TaintToleration", prepare_taint_toleration, score_taint_toleration, 3},
    {"NodeAffinity", prepare_node_affinity, score_node_affinity, 2},
    {"NodePorts", prepare_node_ports},
    {"NodeResourcesFit", prepare_fit, score_least_allocated, 1},
    {"VolumeRestrictions", prepare_volume_restrictions},
    {"NodeVolumeLimits", prepare_volume_limits},
    {"VolumeBinding", prepare_volume_binding},
    {"VolumeZone", prepare_volume_zone},
    {"PodTopologySpread", prepare_topology_spread, score_topology_spread, 2},
    {"InterPodAffinity", prepare_inter_pod_affinity, score_inter_pod_affinity, 2},
    {"NodeResourcesBalancedAllocation", nullptr, score_balanced_allocation, 1},
    {"ImageLocality", nullptr, score_image_locality, 1},
};

struct NamedPrepared {
  const char* name;
  Prepared prepared;
};

Judgement failed(const char* plugin, const std::string& why) {
  return {.error = std::string(plugin) + ": " + why};
}

struct Refusal {
  const char* plugin;
  Rejection why;
};

void reject(Judgement& judgement, const Node& node, const Refusal& refusal) {
  const std::string name(node.name);
  judgement.rejected_by[name] = refusal.plugin;
  judgement.reasons[name] = refusal.why.reasons;
  judgement.preemption_may_help[name] = refusal.why.preemption_may_help;
}

// The first one; nothing when the node is feasible.
std::optional<Refusal> find_refusal(const std::vector<NamedPrepared>& plugins, const Node& node) {
  for (const auto& [name, prepared] : plugins) {
    if (prepared.only_nodes && !prepared.only_nodes->contains(node.name)) {
      const std::string reason = "node(s) didn't satisfy plugin(s) [" + std::string(name) + "]";
      return Refusal{name, {.reasons = {reason}}};
    }
  }
  for (const auto& [name, prepared] : plugins) {
    if (!prepared.filter) continue;
    if (auto rejection = prepared.filter(node)) return Refusal{name, std::move(*rejection)};
  }
  return std::nullopt;
}

void score(const Question& question, const Nodes& nodes, Judgement& judgement) {
  if (nodes.empty()) return;
  for (const Plugin& plugin : kPlugins) {
    if (plugin.score == nullptr) continue;
    const Scores scores = plugin.score(question, nodes);
    if (!scores.error.empty()) {
      judgement = failed(plugin.name, scores.error);
      return;
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string node(nodes[i]->name);
      judgement.totals.try_emplace(node, 0);
      if (scores.skipped) continue;
      const int64_t points = scores.points[i] * plugin.weight;
      judgement.scores[node][plugin.name] = points;
      judgement.totals[node] += points;
    }
  }
}

}  // namespace oracle

Judgement judge(const TestCluster& cluster, const api::Object& pod) {
  oracle::World world(cluster);
  const oracle::Question question{world, world.add_pod(pod)};
  std::vector<oracle::NamedPrepared> plugins;
  for (const auto& plugin : oracle::kPlugins) {
    if (plugin.prepare == nullptr) continue;
    auto prepared = plugin.prepare(question);
    if (prepared.rejection && !prepared.rejection->error.empty())
      return oracle::failed(plugin.name, prepared.rejection->error);
    if (prepared.rejection)
      return {.no_node_at_all = plugin.name, .pre_filter_reasons = prepared.rejection->reasons};
    plugins.push_back({plugin.name, std::move(prepared)});
  }
  Judgement judgement;
  oracle::Nodes feasible;
  for (const auto& node : world.nodes) {
    const auto refusal = oracle::find_refusal(plugins, node);
    if (!refusal) {
      feasible.push_back(&node);
    } else if (!refusal->why.error.empty()) {
      return oracle::failed(refusal->plugin, refusal->why.error);
    } else {
      oracle::reject(judgement, node, *refusal);
    }
  }
  oracle::score(question, feasible, judgement);
  return judgement;
}

std::string default_filter_plugins() {
  std::string names;
  for (const auto& plugin : oracle::kPlugins) {
    if (plugin.prepare == nullptr) continue;
    names += (names.empty() ? "" : " ") + std::string(plugin.name);
  }
  return names;
}

std::string default_score_plugins() {
  std::string names;
  for (const auto& plugin : oracle::kPlugins) {
    if (plugin.score == nullptr) continue;
    names +=
        (names.empty() ? "" : " ") + std::string(plugin.name) + ":" + std::to_string(plugin.weight);
  }
  return names;
}

}  // namespace proa::testkit
