#include "scheduler/plugins/preemption/default_preemption.h"

#include "scheduler/framework/diagnosis.h"
#include "scheduler/plugins/preemption/candidates.h"
#include "scheduler/plugins/preemption/evictions.h"

namespace proa::scheduler {
namespace default_preemption {

Result<PreemptionArgs> read_args(api::View args) {
  PreemptionArgs read;
  read.min_candidate_percentage =
      args["minCandidateNodesPercentage"].integer(read.min_candidate_percentage);
  read.min_candidates = args["minCandidateNodesAbsolute"].integer(read.min_candidates);
  if (read.min_candidate_percentage < 0 || read.min_candidate_percentage > 100) {
    return Status(Reason::kBadRequest, "minCandidateNodesPercentage: Invalid value: " +
                                           std::to_string(read.min_candidate_percentage) +
                                           ": not in valid range [0, 100]");
  }
  if (read.min_candidates < 0) {
    return Status(Reason::kBadRequest, "minCandidateNodesAbsolute: Invalid value: " +
                                           std::to_string(read.min_candidates) +
                                           ": not in valid range [0, inf)");
  }
  if (read.min_candidate_percentage == 0 && read.min_candidates == 0) {
    return Status(Reason::kBadRequest,
                  "both minCandidateNodesPercentage and minCandidateNodesAbsolute cannot be zero");
  }
  return read;
}

class DefaultPreemption final : public PostFilterPlugin, public PreEnqueuePlugin {
 public:
  DefaultPreemption(const PluginContext& context, PreemptionArgs args)
      : cluster_(context.cluster),
        nominations_(context.nominations),
        budgets_(context.informers),
        candidates_(context.cluster, context.nominations, budgets_, context.clock, context.random,
                    args),
        evictions_(context) {}

  std::string_view name() const override { return "DefaultPreemption"; }

  // Only gates the pod while its own evictions are being written; other plugins handle events.
  Verdict pre_enqueue(const Pod& pod) override {
    if (!evictions_.is_under_way(pod.uid())) return {};
    return reasons_.say(Code::kUnresolvable,
                        "waiting for the preemption for this pod to be finished");
  }

  PostFiltered post_filter(const PodPtr& pod, Diagnosis& diagnosis) override {
    PostFiltered result;
    if (const std::string_view why = not_eligible(*pod, diagnosis); !why.empty()) {
      result.message = "preemption: " + std::string(why);
      return result;
    }
    Candidates::Choice choice = candidates_.choose(*pod, diagnosis);
    if (!choice.node) {
      result.nominated_node = api::NodeName();
      result.message = "preemption: " + choice.why_not;
      return result;
    }
    const api::NodeName node(cluster_.at(*choice.node).name());
    give_up_nominations(*pod, node);
    evictions_.begin(pod, node, choice.victims);
    result.verdict = {};
    result.nominated_node = node;
    return result;
  }

 private:
  std::string_view not_eligible(const Pod& pod, const Diagnosis& diagnosis) const {
    if (!pod.shape->may_preempt) return "not eligible due to preemptionPolicy=Never.";
    const api::NodeNameView nominated = nominations_.node_of(pod.uid());
    if (nominated.empty()) return {};
    const std::optional<NodeIndex> node = cluster_.find(nominated);
    if (!node || diagnosis.of(*node).verdict.code == Code::kUnresolvable) return {};
    for (const PodPtr& one : cluster_.at(*node).pods()) {
      if (one->priority() < pod.priority() && one->being_deleted && one->has_disruption_condition) {
        return "not eligible due to a terminating pod on the nominated node.";
      }
    }
    return {};
  }

  // Clears the nominations of pods with lower priority to this node.
  void give_up_nominations(const Pod& pod, api::NodeNameView node) {
    const std::vector<PodPtr> nominated = nominations_.on(node);
    for (const PodPtr& one : nominated) {
      if (one->priority() >= pod.priority()) continue;
      nominations_.remove(one->uid());
      evictions_.end_nomination(one);
    }
  }

  const Cluster& cluster_;
  Nominations& nominations_;
  Budgets budgets_;
  Candidates candidates_;
  ReasonBook reasons_;
  Evictions evictions_;
};

}  // namespace default_preemption

Result<std::unique_ptr<Plugin>> make_default_preemption(const PluginContext& context,
                                                        api::View args) {
  const PreemptionArgs read = TRY(default_preemption::read_args(args));
  return std::unique_ptr<Plugin>(
      std::make_unique<default_preemption::DefaultPreemption>(context, read));
}

}  // namespace proa::scheduler
