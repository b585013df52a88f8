#pragma once

// Shared by the tests of this folder.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/object/edit.h"
#include "json/parse.h"
#include "json/print.h"
#include "scheduler/plugins/affinity/inter_pod_affinity.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/test_context.h"

namespace proa::scheduler::affinity_test {

using testkit::Names;
using testkit::Pairs;

// --- Pods and nodes ---

// A term; its selectors as queries: "service in (a,b),!c".
struct TestTerm {
  enum class Kind : uint8_t { kNear, kFar, kPreferNear, kPreferFar };
  Kind kind = Kind::kNear;
  std::string key = {};
  std::string selector = {};
  int weight = 0;
  Names namespaces = {};
  std::optional<std::string> namespace_selector = std::nullopt;

  TestTerm& in(Names names) {
    namespaces = std::move(names);
    return *this;
  }
  TestTerm& in_namespaces(std::string query) {
    namespace_selector = std::move(query);
    return *this;
  }
};

inline TestTerm near(std::string key, std::string selector) {
  return {.kind = TestTerm::Kind::kNear, .key = std::move(key), .selector = std::move(selector)};
}
inline TestTerm far(std::string key, std::string selector) {
  return {.kind = TestTerm::Kind::kFar, .key = std::move(key), .selector = std::move(selector)};
}
inline TestTerm prefer_near(int weight, std::string key, std::string selector) {
  return {.kind = TestTerm::Kind::kPreferNear,
          .key = std::move(key),
          .selector = std::move(selector),
          .weight = weight};
}
inline TestTerm prefer_far(int weight, std::string key, std::string selector) {
  return {.kind = TestTerm::Kind::kPreferFar,
          .key = std::move(key),
          .selector = std::move(selector),
          .weight = weight};
}

struct TestPod {
  Pairs labels = {};
  std::string node = {};
  std::vector<TestTerm> terms = {};
  std::string name_space = "default";
  std::string nominated = {};
  std::string name = {};  // default: unique

  PodPtr read(PodReader& reader) const;
};

struct TestNode {
  std::string name = {};
  Pairs labels = {};

  api::ObjectPtr object() const { return testkit::make_node(name).labels(labels).object(); }
};

// --- A cluster, and the plugin in it ---

class AffinityWorld {
 public:
  explicit AffinityWorld(std::string_view args = "{}") : args_(json::parse(args).value()) {
    Result<std::unique_ptr<Plugin>> made =
        make_inter_pod_affinity(context_, api::View(args_.root()));
    plugin_ = std::move(made).value();
    world_.informers.poll();
  }

  void put_namespace(std::string_view name, const Pairs& labels) {
    world_.put("namespaces", testkit::make_namespace(name).labels(labels));
  }
  void remove_namespace(std::string_view name) {
    world_.remove("namespaces", testkit::make_namespace(name));
  }
  void put(const TestNode& node) { cluster.put_node(node.object()); }
  PodPtr put(const TestPod& pod) {
    PodPtr made = pod.read(reader);
    cluster.put_pod(made);
    return made;
  }
  PodPtr read(const TestPod& pod) { return pod.read(reader); }

  Plugin& plugin() { return *plugin_; }
  const PluginContext& context() const { return context_; }
  std::unique_ptr<NodeFilter> filter(const Pod& pod) {
    return dynamic_cast<FilterPlugin&>(*plugin_).pre_filter(pod).filter;
  }
  std::unique_ptr<NodeScorer> scorer(const Pod& pod) {
    return dynamic_cast<ScorePlugin&>(*plugin_).pre_score(pod);
  }
  // Scores of all nodes, normalized; empty without a scorer.
  std::vector<int64_t> scores(NodeScorer* scorer) const;

 private:
  testkit::TestContext world_;
  json::Document args_;
  PluginContext context_ = world_.context();

 public:
  Cluster& cluster = world_.cluster;
  PodReader& reader = world_.reader;

 private:
  std::unique_ptr<Plugin> plugin_;
};

inline std::vector<int64_t> AffinityWorld::scores(NodeScorer* scorer) const {
  std::vector<NodeIndex> nodes;
  for (NodeIndex i = 0; i < cluster.slots(); ++i) {
    if (cluster.node(i) != nullptr) nodes.push_back(i);
  }
  std::vector<int64_t> scores(nodes.size());
  if (scorer == nullptr) return scores;
  scorer->begin(nodes);
  for (size_t i = 0; i < nodes.size(); ++i) {
    scores[i] = scorer->score(nodes[i], cluster.at(nodes[i]));
  }
  scorer->normalize(nodes, scores);
  return scores;
}

// --- How pods are read ---

inline void fill_selector(api::Edit selector, const std::string& query) {
  const api::LabelSelector parsed = api::LabelSelector::parse(query).value();
  for (const api::LabelSelector::Requirement& one : parsed.requirements()) {
    using Operator = api::LabelSelector::Operator;
    const bool negative = one.op == Operator::kNotIn || one.op == Operator::kNotEquals;
    const bool bare = one.op == Operator::kExists || one.op == Operator::kDoesNotExist;
    const api::Edit expression = selector.array("matchExpressions").push_object();
    expression.set("key", one.key);
    expression.set("operator", bare ? (one.op == Operator::kExists ? "Exists" : "DoesNotExist")
                                    : (negative ? "NotIn" : "In"));
    if (bare) continue;
    const api::Edit values = expression.array("values");
    for (const std::string& value : one.values)
      values.push(json::Value::string(values.arena(), value));
  }
}

inline void fill_term(api::Edit term, const TestTerm& from) {
  term.set("topologyKey", from.key);
  fill_selector(term.object("labelSelector"), from.selector);
  if (!from.namespaces.empty()) {
    const api::Edit names = term.array("namespaces");
    for (const std::string& name : from.namespaces)
      names.push(json::Value::string(names.arena(), name));
  }
  if (from.namespace_selector) {
    fill_selector(term.object("namespaceSelector"), *from.namespace_selector);
  }
}

inline PodPtr TestPod::read(PodReader& reader) const {
  using Kind = TestTerm::Kind;
  static int number = 0;
  json::Document affinity = json::parse("{}").value();
  const api::Edit root(affinity);
  for (const TestTerm& term : terms) {
    const bool is_far = term.kind == Kind::kFar || term.kind == Kind::kPreferFar;
    const bool preferred = term.kind == Kind::kPreferNear || term.kind == Kind::kPreferFar;
    const api::Edit list = root.object(is_far ? "podAntiAffinity" : "podAffinity")
                               .array(preferred ? "preferredDuringSchedulingIgnoredDuringExecution"
                                                : "requiredDuringSchedulingIgnoredDuringExecution");
    const api::Edit one = list.push_object();
    if (preferred) one.set("weight", term.weight);
    fill_term(preferred ? one.object("podAffinityTerm") : one, term);
  }
  testkit::PodBuilder pod = testkit::make_pod(name.empty() ? "p" + std::to_string(++number) : name);
  pod.in(name_space).labels(labels);
  if (!terms.empty()) pod.affinity_json(json::print(affinity.root()));
  if (!node.empty()) pod.node(node);
  if (!nominated.empty()) pod.nominated(nominated);
  return reader.read(pod.object());
}

}  // namespace proa::scheduler::affinity_test
