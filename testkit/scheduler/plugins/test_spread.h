#pragma once

// Shared by the tests of this folder: short notations for clusters and pods.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/strings.h"
#include "json/parse.h"
#include "scheduler/plugins/spread/pod_topology_spread.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/test_context.h"

namespace proa::scheduler::spread_test {

using testkit::Names;
using testkit::Pairs;
using testkit::PodBuilder;

constexpr std::string_view kList = R"({"defaultingType":"List"})";

// --- Pods and nodes in words ---

// One constraint. The selector: a label that pods must have; "{}": everything; "": absent.
struct Rule {
  std::string when = "DoNotSchedule";
  int skew = 1;
  std::string key = "zone";
  std::string selector = "foo";
  int min_domains = 0;
  std::string affinity = {};
  std::string taints = {};
  std::string label_key = {};

  std::string json() const {
    std::string text = fmt::format(R"({{"maxSkew":{},"topologyKey":"{}","whenUnsatisfiable":"{}")",
                                   skew, key, when);
    if (selector == "{}") text += R"(,"labelSelector":{})";
    if (selector != "{}" && !selector.empty()) {
      text += fmt::format(
          R"(,"labelSelector":{{"matchExpressions":[{{"key":"{}","operator":"Exists"}}]}})",
          selector);
    }
    if (min_domains > 0) text += fmt::format(R"(,"minDomains":{})", min_domains);
    if (!affinity.empty()) text += fmt::format(R"(,"nodeAffinityPolicy":"{}")", affinity);
    if (!taints.empty()) text += fmt::format(R"(,"nodeTaintsPolicy":"{}")", taints);
    if (!label_key.empty()) text += fmt::format(R"(,"matchLabelKeys":["{}"])", label_key);
    return text + "}";
  }
};

inline Rule hard(int skew, std::string_view key, std::string_view selector = "foo") {
  return {.skew = skew, .key = std::string(key), .selector = std::string(selector)};
}
inline Rule soft(int skew, std::string_view key, std::string_view selector = "foo") {
  Rule rule = hard(skew, key, selector);
  rule.when = "ScheduleAnyway";
  return rule;
}
inline Rule ignoring_affinity(Rule rule) {
  rule.affinity = "Ignore";
  return rule;
}
inline Rule honoring_taints(Rule rule) {
  rule.taints = "Honor";
  return rule;
}
inline Rule with_key(Rule rule, std::string_view key) {
  rule.label_key = key;
  return rule;
}

// A pending pod with these labels (without values): "foo bar".
inline PodBuilder waiting(std::string_view labels, const std::vector<Rule>& rules) {
  PodBuilder pod = testkit::make_pod("p");
  for (const std::string_view label : split(labels, ' ')) {
    if (!label.empty()) pod.label(label, "");
  }
  for (const Rule& rule : rules) pod.spread_json(rule.json());
  return pod;
}

constexpr std::string_view kHost = "kubernetes.io/hostname";

// "a zone=z1 host=a": its name and labels ("host" for short); "!" adds a NoSchedule taint.
inline testkit::NodeBuilder node_of(std::string_view words) {
  const auto parts = split(words, ' ');
  testkit::NodeBuilder node = testkit::make_node(parts[0]);
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    if (parts[i] == "!") {
      node.taint("why", "", "NoSchedule");
    } else {
      const std::string_view key = parts[i].substr(0, equals);
      node.label(key == "host" ? kHost : key, parts[i].substr(equals + 1));
    }
  }
  return node;
}

// "foo bar@a": its labels and node; prefixed with "ns/" for a namespace, with "-" if it is being
// deleted.
inline PodBuilder pod_of(std::string_view words, std::string_view name) {
  PodBuilder pod = testkit::make_pod(name);
  if (words.starts_with("-")) {
    pod.deleted_at("2026-01-01T00:00:00Z");
    words.remove_prefix(1);
  }
  if (const size_t slash = words.find('/'); slash != std::string_view::npos) {
    pod.in(words.substr(0, slash));
    words.remove_prefix(slash + 1);
  }
  const size_t at = words.find('@');
  pod.node(words.substr(at + 1));
  for (const std::string_view label : split(words.substr(0, at), ' ')) {
    if (!label.empty()) pod.label(label, "");
  }
  return pod;
}

inline const Names kFour{"a zone=z1 node=a", "b zone=z1 node=b", "x zone=z2 node=x",
                         "y zone=z2 node=y"};

// --- A cluster, and the plugin in it ---

class SpreadWorld {
 public:
  explicit SpreadWorld(std::string_view args = kList) : args_(json::parse(args).value()) {
    plugin_ = make_pod_topology_spread(world_.context(), api::View(args_.root())).value();
    world_.informers.poll();
  }

  void add_nodes(const Names& nodes) {
    for (const std::string& words : nodes) cluster.put_node(node_of(words).object());
  }
  void add_pods(const Names& pods) {
    for (const std::string& words : pods) {
      cluster.put_pod(reader.read(pod_of(words, "p" + std::to_string(++pods_)).object()));
    }
  }
  PodPtr read(const PodBuilder& pod) { return reader.read(pod.object()); }
  NodeIndex index(std::string_view node) const {
    return cluster.find(api::NodeNameView(node)).value();
  }

  template <typename Builder>
  void tell(std::string_view resource, Builder object) {
    world_.put(resource, std::move(object));
  }
  template <typename Builder>
  void tell_gone(std::string_view resource, Builder object) {
    world_.remove(resource, std::move(object));
  }

  Plugin& plugin() { return *plugin_; }
  std::unique_ptr<NodeFilter> filter(const Pod& pod) {
    return dynamic_cast<FilterPlugin&>(*plugin_).pre_filter(pod).filter;
  }
  std::unique_ptr<NodeScorer> scorer(const Pod& pod) {
    return dynamic_cast<ScorePlugin&>(*plugin_).pre_score(pod);
  }

  std::vector<NodeIndex> nodes() const {
    std::vector<NodeIndex> all;
    for (NodeIndex i = 0; i < cluster.slots(); ++i) {
      if (cluster.node(i) != nullptr) all.push_back(i);
    }
    return all;
  }
  // A letter per node: y(es), n(o), x: no, and preemption would not help.
  std::string answers(NodeFilter& filter) const {
    std::string letters;
    for (const NodeIndex index : nodes()) {
      const Code code = filter.check(index, cluster.at(index)).code;
      letters += code == Code::kSuccess ? 'y' : code == Code::kUnschedulable ? 'n' : 'x';
    }
    return letters;
  }
  std::vector<int64_t> scores(NodeScorer& scorer, const std::vector<NodeIndex>& feasible) const {
    std::vector<int64_t> scores;
    scorer.begin(feasible);
    for (const NodeIndex index : feasible) {
      scores.push_back(scorer.score(index, cluster.at(index)));
    }
    if (scorer.normalizes()) scorer.normalize(feasible, scores);
    return scores;
  }

 private:
  testkit::TestContext world_;
  json::Document args_;

 public:
  Cluster& cluster = world_.cluster;
  PodReader& reader = world_.reader;

 private:
  std::unique_ptr<Plugin> plugin_;
  int pods_ = 0;
};

}  // namespace proa::scheduler::spread_test
