#include "scheduler/plugins/basic/taint_toleration.h"

#include <algorithm>

#include "scheduler/framework/normalize.h"
#include "scheduler/plugins/basic/untolerated.h"

namespace proa::scheduler {
namespace taint_toleration {

using kinds::pods::Taint;
using kinds::pods::Toleration;

bool tolerates_everything(const Toleration& toleration) {
  return toleration.key.empty() && toleration.effect.empty() && toleration.op == "Exists";
}

class Filter final : public NodeFilter {
 public:
  Filter(ShapePtr shape, Verdict rejection) : shape_(std::move(shape)), rejection_(rejection) {}

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    return untolerated(node) == nullptr ? Verdict() : rejection_;
  }
  std::string suggestion(NodeIndex /*index*/, const Node& node) override {
    const Taint* cordon = nullptr;
    for (const Taint& taint : node.facts().taints) {
      if (first_untolerated({&taint, 1}, shape_->tolerations) == nullptr) continue;
      // The node controller puts this one back as long as the node is cordoned.
      if (taint.key != "node.kubernetes.io/unschedulable") {
        return "tolerate taint " + describe(taint) + ", or remove it";
      }
      cordon = &taint;
    }
    return cordon == nullptr ? "" : "kubectl uncordon " + node.name().str();
  }

 private:
  const Taint* untolerated(const Node& node) const {
    return first_untolerated(node.facts().taints, shape_->tolerations);
  }

  const ShapePtr shape_;
  const Verdict rejection_;
};

// Counts taints that the pod would rather avoid; fewer are better.
class Scorer final : public NodeScorer {
 public:
  explicit Scorer(std::vector<Toleration> tolerations) : tolerations_(std::move(tolerations)) {}

  int64_t score(NodeIndex /*index*/, const Node& node) override {
    const std::vector<Taint>& taints = node.facts().taints;
    return std::count_if(taints.begin(), taints.end(), [&](const Taint& taint) {
      return taint.effect == kPreferNoSchedule && !is_tolerated(taint, tolerations_);
    });
  }
  bool normalizes() const override { return true; }
  void normalize(std::span<const NodeIndex> /*feasible*/, std::span<int64_t> scores) override {
    normalize_to_max(scores, true);
  }

 private:
  const std::vector<Toleration> tolerations_;
};

class TaintToleration final : public FilterPlugin, public ScorePlugin {
 public:
  std::string_view name() const override { return "TaintToleration"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kNode, action::kAdd | action::kUpdateNodeTaint},
            {EventResource::kUnscheduledPod, action::kUpdatePodToleration}};
  }
  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (event.resource == EventResource::kUnscheduledPod) {
      return event.new_pod != nullptr && event.new_pod->uid() == pod.uid();
    }
    const auto tolerated = [&](const NodeFacts* node) {
      return node != nullptr && first_untolerated(node->taints, pod.shape->tolerations) == nullptr;
    };
    return tolerated(event.new_node) && !tolerated(event.old_node);
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    const std::vector<Toleration>& tolerations = pod.shape->tolerations;
    if (std::none_of(tolerations.begin(), tolerations.end(), tolerates_everything)) {
      result.filter = std::make_unique<Filter>(pod.shape, rejection_);
    }
    return result;
  }

  std::unique_ptr<NodeScorer> pre_score(const Pod& pod) override {
    std::vector<Toleration> relevant;
    for (const Toleration& one : pod.shape->tolerations) {
      if (one.effect.empty() || one.effect == kPreferNoSchedule) relevant.push_back(one);
    }
    return std::make_unique<Scorer>(std::move(relevant));
  }

 private:
  ReasonBook reasons_;
  const Verdict rejection_ = reasons_.say(Code::kUnresolvable, "node(s) had untolerated taint(s)");
};

}  // namespace taint_toleration

Result<std::unique_ptr<Plugin>> make_taint_toleration(const PluginContext& /*context*/,
                                                      api::View /*args*/) {
  return std::make_unique<taint_toleration::TaintToleration>();
}

}  // namespace proa::scheduler
