#pragma once

#include "json/parse.h"
#include "scheduler/framework/context.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/test_context.h"

namespace proa::scheduler {

// A cluster and one plugin.
class TestBench {
 public:
  using Make = Result<std::unique_ptr<Plugin>> (*)(const PluginContext& context, api::View args);

  explicit TestBench(Make make, std::string_view args = {}) : plugin_(make_plugin(make, args)) {}
  // With a client that responds.
  TestBench(Make make, client::Client* client, std::string_view args = {})
      : world_(*client), plugin_(make_plugin(make, args)) {}

  Plugin& plugin() { return *plugin_; }
  // REQUIRES: the plugin implements this extension point.
  template <typename Point>
  Point& as() {
    return dynamic_cast<Point&>(*plugin_);
  }

  Cluster& cluster() { return world_.cluster; }
  NodeIndex add(const testkit::NodeBuilder& node) {
    const api::ObjectPtr object = node.object();
    world_.cluster.put_node(object);
    return *world_.cluster.find(api::NodeNameView(object->metadata().name));
  }
  void add(const testkit::PodBuilder& pod) { world_.cluster.put_pod(read(pod)); }
  PodPtr read(const testkit::PodBuilder& pod) { return world_.reader.read(pod.object()); }

  // The verdict with reasons: "", "Unschedulable: a, b", "Unresolvable: c".
  static std::string say(const Verdict& verdict) {
    if (verdict.ok()) return "";
    std::string text = verdict.code == Code::kUnschedulable  ? "Unschedulable: "
                       : verdict.code == Code::kUnresolvable ? "Unresolvable: "
                                                             : "another code: ";
    for (size_t i = 0; i < verdict.reasons->size(); ++i) {
      text.append(i == 0 ? "" : ", ").append((*verdict.reasons)[i]);
    }
    return text;
  }
  std::string check(const testkit::PodBuilder& pod, NodeIndex node) {
    const PreFiltered filtered = as<FilterPlugin>().pre_filter(*read(pod));
    if (!filtered.verdict.ok()) return "all: " + say(filtered.verdict);
    return filtered.filter ? say(filtered.filter->check(node, world_.cluster.at(node))) : "";
  }
  // For a node that it rejects.
  std::string suggestion(const testkit::PodBuilder& pod, NodeIndex node) {
    const PreFiltered filtered = as<FilterPlugin>().pre_filter(*read(pod));
    return filtered.filter ? filtered.filter->suggestion(node, world_.cluster.at(node))
                           : "nothing to suggestion";
  }
  // Scores of all nodes, in order; empty if it is skipped.
  std::vector<int64_t> scores(const testkit::PodBuilder& pod) {
    const std::unique_ptr<NodeScorer> scorer = as<ScorePlugin>().pre_score(*read(pod));
    if (!scorer) return {};
    std::vector<NodeIndex> nodes;
    for (NodeIndex i = 0; i < world_.cluster.slots(); ++i) nodes.push_back(i);
    std::vector<int64_t> scores;
    scorer->begin(nodes);
    for (const NodeIndex i : nodes) scores.push_back(scorer->score(i, world_.cluster.at(i)));
    if (scorer->normalizes()) scorer->normalize(nodes, scores);
    return scores;
  }

  // Whether it would requeue the pod after a node change; null: the node was added.
  bool helped_by_node(const testkit::PodBuilder& pod, const testkit::NodeBuilder* before,
                      const testkit::NodeBuilder& after) {
    const NodeFacts now = read_node(after.object());
    ClusterEvent event{.resource = EventResource::kNode, .action = action::kAdd, .new_node = &now};
    if (before == nullptr) return plugin_->may_help(*read(pod), event);
    const NodeFacts then = read_node(before->object());
    event.action = node_changes(then, now);
    event.old_node = &then;
    return plugin_->may_help(*read(pod), event);
  }
  // After that pod was changed, or deleted (without `after`).
  bool helped_by_pod(const testkit::PodBuilder& pod, EventResource resource,
                     const testkit::PodBuilder& before, const testkit::PodBuilder* after) {
    const PodPtr old_pod = read(before);
    const PodPtr new_pod = after == nullptr ? nullptr : read(*after);
    const ClusterEvent event{.resource = resource,
                             .action = after == nullptr ? action::kDelete : action::kUpdate,
                             .old_pod = old_pod.get(),
                             .new_pod = new_pod.get()};
    return plugin_->may_help(*read(pod), event);
  }

 private:
  std::unique_ptr<Plugin> make_plugin(Make make, std::string_view args) {
    const json::Document document = args.empty() ? json::Document() : *json::parse(args);
    return *make(world_.context(), document.root());
  }

  testkit::TestContext world_;
  std::unique_ptr<Plugin> plugin_;
};

}  // namespace proa::scheduler
