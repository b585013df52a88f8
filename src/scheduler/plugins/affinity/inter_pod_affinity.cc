#include "scheduler/plugins/affinity/inter_pod_affinity.h"

#include <fmt/format.h>

#include "scheduler/plugins/affinity/affinity_filter.h"
#include "scheduler/plugins/affinity/affinity_hints.h"
#include "scheduler/plugins/affinity/affinity_scorer.h"
#include "scheduler/plugins/affinity/namespace_labels.h"

namespace proa::scheduler {
namespace inter_pod_affinity {

struct Args {
  int32_t hard_weight = 1;      // of others' required affinity to the pod, in scores
  bool only_own_terms = false;  // a pod that prefers nothing does not care what others prefer
};

Result<Args> read_args(api::View args) {
  constexpr int64_t kMostWeight = 100;
  const api::View weight = args["hardPodAffinityWeight"];
  if (weight.exists() && !weight.is(json::Kind::kInt)) {
    return Status(Reason::kBadRequest, "hardPodAffinityWeight: Invalid value: must be an integer");
  }
  const int64_t number = weight.integer(1);
  if (number < 0 || number > kMostWeight) {
    return Status(Reason::kBadRequest,
                  fmt::format("hardPodAffinityWeight: Invalid value: {}: not in valid range "
                              "[0, {}]",
                              number, kMostWeight));
  }
  return Args{.hard_weight = static_cast<int32_t>(number),
              .only_own_terms = args["ignorePreferredTermsOfExistingPods"].flag()};
}

class InterPodAffinity final : public FilterPlugin, public ScorePlugin {
 public:
  InterPodAffinity(const PluginContext& context, const Args& args)
      : cluster_(context.cluster), namespaces_(context.informers), args_(args) {}

  std::string_view name() const override { return "InterPodAffinity"; }

  std::vector<EventInterest> events() const override {
    constexpr uint32_t kOfPods = action::kAdd | action::kUpdatePodLabel | action::kDelete;
    return {{.resource = EventResource::kAssignedPod, .actions = kOfPods},
            {.resource = EventResource::kUnscheduledPod, .actions = kOfPods},
            {.resource = EventResource::kNode, .actions = action::kAdd | action::kUpdateNodeLabel}};
  }
  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (event.resource != EventResource::kNode) {
      return affinity_may_change_by_pod(pod, event.old_pod, event.new_pod);
    }
    return event.new_node == nullptr ||
           affinity_may_change_by_node(pod, event.old_node, *event.new_node);
  }

  PreFiltered pre_filter(const Pod& pod) override {
    IncomingPod incoming(pod.shape, namespaces_);
    PreFiltered answer;
    if (incoming.has_required_terms() || cluster_.pods_with_anti_affinity() > 0) {
      answer.filter = make_affinity_filter(cluster_, std::move(incoming), verdicts_);
    }
    return answer;
  }

  std::unique_ptr<NodeScorer> pre_score(const Pod& pod) override {
    IncomingPod incoming(pod.shape, namespaces_);
    const bool others_matter = !args_.only_own_terms && cluster_.pods_with_affinity() > 0;
    if (!incoming.has_preferred_terms() && !others_matter) return nullptr;
    return make_affinity_scorer(cluster_, std::move(incoming), args_.hard_weight);
  }

 private:
  const Cluster& cluster_;
  const NamespaceLabels namespaces_;
  const Args args_;
  ReasonBook reasons_;
  const AffinityVerdicts verdicts_{
      .no_affinity = reasons_.say(Code::kUnresolvable, "node(s) didn't match pod affinity rules"),
      .anti_affinity =
          reasons_.say(Code::kUnschedulable, "node(s) didn't match pod anti-affinity rules"),
      .unwanted = reasons_.say(Code::kUnschedulable,
                               "node(s) didn't satisfy existing pods anti-affinity rules")};
};

}  // namespace inter_pod_affinity

Result<std::unique_ptr<Plugin>> make_inter_pod_affinity(const PluginContext& context,
                                                        api::View args) {
  const inter_pod_affinity::Args read = TRY(inter_pod_affinity::read_args(args));
  return std::make_unique<inter_pod_affinity::InterPodAffinity>(context, read);
}

}  // namespace proa::scheduler
