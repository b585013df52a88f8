#include "scheduler/plugins/spread/pod_topology_spread.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "scheduler/plugins/spread/default_selectors.h"
#include "scheduler/plugins/spread/placed_pods.h"
#include "scheduler/plugins/spread/spread_args.h"
#include "scheduler/plugins/spread/spread_filter.h"
#include "scheduler/plugins/spread/spread_hints.h"
#include "scheduler/plugins/spread/spread_scorer.h"

namespace proa::scheduler {
namespace pod_topology_spread {

constexpr std::string_view kUneven = "node(s) didn't match pod topology spread constraints";
constexpr std::string_view kNoLabel =
    "node(s) didn't match pod topology spread constraints (missing required label)";

// The constraints of one pod, hard or soft ones.
struct Wanted {
  std::vector<SpreadConstraint> constraints = {};
  // Where their selectors come from, if they are the defaults. Then there may be constraints later
  // where there are none now.
  FoundSelector found = {};
  bool defaulted = false;
};

std::vector<SpreadConstraint> of_kind(std::span<const SpreadConstraint> all, bool hard) {
  std::vector<SpreadConstraint> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
               [&](const SpreadConstraint& one) { return one.hard == hard; });
  return chosen;
}

class PodTopologySpread final : public FilterPlugin, public ScorePlugin {
 public:
  PodTopologySpread(const PluginContext& context, SpreadDefaults defaults)
      : cluster_(context.cluster), defaults_(std::move(defaults)), placed_(context.cluster) {
    if (!defaults_.constraints.empty()) selectors_.emplace(context.informers);
    verdicts_.uneven = reasons_.say(Code::kUnschedulable, kUneven);
    verdicts_.no_label = reasons_.say(Code::kUnresolvable, kNoLabel);
  }

  std::string_view name() const override { return "PodTopologySpread"; }

  std::vector<EventInterest> events() const override {
    constexpr uint32_t kPod =
        action::kAdd | action::kUpdatePodLabel | action::kUpdatePodToleration | action::kDelete;
    return {{.resource = EventResource::kAssignedPod, .actions = kPod},
            {.resource = EventResource::kUnscheduledPod, .actions = kPod},
            {.resource = EventResource::kNode,
             .actions = action::kAdd | action::kDelete | action::kUpdateNodeLabel |
                        action::kUpdateNodeTaint}};
  }
  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (!concerns_spread(pod, event)) return false;
    if (!pod.shape->spread.empty()) return may_help_spread(pod, pod.shape->spread, event);
    return may_help_spread(pod, wanted(pod, true).constraints, event);
  }

  PreFiltered pre_filter(const Pod& pod) override {
    Wanted hard = wanted(pod, true);
    PreFiltered result;
    if (!hard.constraints.empty()) {
      result.filter = make_spread_filter(cluster_, placed_, *pod.shape, hard.constraints,
                                         std::move(hard.found), verdicts_);
    } else if (hard.defaulted) {
      result.filter = make_idle_spread_filter(std::move(hard.found));
    }
    return result;
  }

  std::unique_ptr<NodeScorer> pre_score(const Pod& pod) override {
    Wanted soft = wanted(pod, false);
    if (!soft.constraints.empty()) {
      const bool all_labels = !(soft.defaulted && defaults_.by_system);
      return make_spread_scorer(cluster_, placed_, *pod.shape, soft.constraints, all_labels,
                                std::move(soft.found));
    }
    return soft.defaulted ? make_idle_spread_scorer(std::move(soft.found)) : nullptr;
  }

 private:
  Wanted wanted(const Pod& pod, bool hard) const {
    Wanted wanted;
    const bool own = !pod.shape->spread.empty();
    wanted.constraints = of_kind(own ? pod.shape->spread : defaults_.constraints, hard);
    if (own || wanted.constraints.empty()) return wanted;
    wanted.defaulted = true;
    wanted.found = FoundSelector(*selectors_, pod);
    if (wanted.found.selector().matches_everything()) wanted.constraints.clear();
    for (SpreadConstraint& one : wanted.constraints) one.selector = wanted.found.selector();
    return wanted;
  }

  const Cluster& cluster_;
  const SpreadDefaults defaults_;
  std::optional<DefaultSelectors> selectors_;  // where there are defaults
  PlacedPods placed_;
  ReasonBook reasons_;
  SpreadVerdicts verdicts_;
};

}  // namespace pod_topology_spread

Result<std::unique_ptr<Plugin>> make_pod_topology_spread(const PluginContext& context,
                                                         api::View args) {
  SpreadDefaults defaults = TRY(read_spread_args(args));
  std::unique_ptr<Plugin> made =
      std::make_unique<pod_topology_spread::PodTopologySpread>(context, std::move(defaults));
  return made;
}

}  // namespace proa::scheduler
