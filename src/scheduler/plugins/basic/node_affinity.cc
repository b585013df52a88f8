#include "scheduler/plugins/basic/node_affinity.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "scheduler/framework/normalize.h"
#include "scheduler/plugins/basic/added_affinity.h"

namespace proa::scheduler {
namespace node_affinity {

using kinds::pods::NodeSelector;
using kinds::pods::NodeSelectorTerm;

// The only nodes that it may select; nullopt where it does not name them, none where it contradicts
// itself.
std::optional<std::vector<std::string>> names_in(const NodeSelector& selector) {
  std::set<std::string> names;
  for (const NodeSelectorTerm& term : selector.terms()) {
    std::optional<std::string> name = term.only_name();
    if (!name) return std::nullopt;
    if (!term.contradicts_itself()) names.insert(std::move(*name));
  }
  if (selector.terms().empty()) return std::nullopt;
  return std::vector<std::string>(names.begin(), names.end());
}

struct Rejections {
  Verdict by_pod = {};
  Verdict by_scheduler = {};
};

class Filter final : public NodeFilter {
 public:
  Filter(ShapePtr shape, const std::optional<NodeSelector>& added, Rejections rejections)
      : shape_(std::move(shape)), added_(added), rejections_(rejections) {}

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    const api::Metadata& metadata = node.facts().metadata();
    if (added_ && !added_->matches(metadata)) return rejections_.by_scheduler;
    return shape_->selects(metadata) ? Verdict() : rejections_.by_pod;
  }

  std::string suggestion(NodeIndex /*index*/, const Node& node) override {
    const api::Metadata& metadata = node.facts().metadata();
    if (added_ && !added_->matches(metadata)) {
      return "match addedAffinity of the scheduler's configuration";
    }
    for (const api::LabelSelector::Requirement& one : shape_->node_selector.requirements()) {
      if (one.matches(metadata.label(one.key))) continue;
      return "label it " + one.key + "=" + join(one.values, ",");
    }
    return "match spec.affinity.nodeAffinity of the pod";
  }

 private:
  const ShapePtr shape_;
  const std::optional<NodeSelector>& added_;
  const Rejections rejections_;
};

// The weights of all preferences that a node meets.
class Scorer final : public NodeScorer {
 public:
  Scorer(ShapePtr shape, const std::vector<PreferredNodes>& added)
      : shape_(std::move(shape)), added_(added) {}

  int64_t score(NodeIndex /*index*/, const Node& node) override {
    const api::Metadata& metadata = node.facts().metadata();
    return sum(added_, metadata) + sum(shape_->preferred_nodes, metadata);
  }
  bool normalizes() const override { return true; }
  void normalize(std::span<const NodeIndex> /*feasible*/, std::span<int64_t> scores) override {
    normalize_to_max(scores, false);
  }

 private:
  static int64_t sum(const std::vector<PreferredNodes>& preferred, const api::Metadata& node) {
    int64_t sum = 0;
    for (const PreferredNodes& one : preferred) {
      if (one.term.matches(node)) sum += one.weight;
    }
    return sum;
  }

  const ShapePtr shape_;
  const std::vector<PreferredNodes>& added_;
};

class NodeAffinity final : public FilterPlugin, public ScorePlugin {
 public:
  explicit NodeAffinity(AddedAffinity added) : added_(std::move(added)) {}

  std::string_view name() const override { return "NodeAffinity"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kNode, action::kAdd | action::kUpdateNodeLabel}};
  }
  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (event.new_node == nullptr) return false;
    const api::Metadata& now = event.new_node->metadata();
    if (added_.required && !added_.required->matches(now)) return false;
    if (!pod.shape->selects(now)) return false;
    return event.old_node == nullptr || !pod.shape->selects(event.old_node->metadata());
  }

  PreFiltered pre_filter(const Pod& pod) override {
    const PodShape& shape = *pod.shape;
    PreFiltered result;
    if (!shape.node_affinity && shape.node_selector.matches_everything() && !added_.required) {
      return result;
    }
    if (shape.node_affinity) result.only_nodes = names_in(*shape.node_affinity);
    if (result.only_nodes && result.only_nodes->empty()) {
      result.only_nodes.reset();
      result.verdict = conflict_;
      return result;
    }
    result.filter = std::make_unique<Filter>(pod.shape, added_.required, rejections_);
    return result;
  }

  std::unique_ptr<NodeScorer> pre_score(const Pod& pod) override {
    if (pod.shape->preferred_nodes.empty() && added_.preferred.empty()) return nullptr;
    return std::make_unique<Scorer>(pod.shape, added_.preferred);
  }

 private:
  const AddedAffinity added_;
  ReasonBook reasons_;
  const Rejections rejections_{
      .by_pod =
          reasons_.say(Code::kUnresolvable, "node(s) didn't match Pod's node affinity/selector"),
      .by_scheduler = reasons_.say(Code::kUnresolvable,
                                   "node(s) didn't match scheduler-enforced node affinity")};
  const Verdict conflict_ = reasons_.say(Code::kUnresolvable, "pod affinity terms conflict");
};

}  // namespace node_affinity

Result<std::unique_ptr<Plugin>> make_node_affinity(const PluginContext& /*context*/,
                                                   api::View args) {
  AddedAffinity added = TRY(read_added_affinity(args));
  return std::make_unique<node_affinity::NodeAffinity>(std::move(added));
}

}  // namespace proa::scheduler
