#include "scheduler/explain/explain.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/strings.h"
#include "scheduler/cycle/evaluation.h"
#include "scheduler/cycle/fit_report.h"
#include "scheduler/explain/claims.h"
#include "scheduler/explain/scheduler_snapshot.h"
#include "scheduler/plugins/preemption/candidates.h"

namespace proa::scheduler {
namespace explaining {

using Suggested = std::pair<PluginObjection, std::string>;  // and its suggestion

// The number of nodes for which suggestions are shown.
constexpr size_t kMostAlternatives = 3;
constexpr size_t kMostNames = 3;

std::vector<std::string> reasons_of(const Verdict& verdict) {
  return verdict.reasons == nullptr ? std::vector<std::string>() : *verdict.reasons;
}

PluginObjection objection_of(const Plugin* plugin, const Verdict& verdict) {
  return {.plugin = std::string(plugin->name()),
          .reasons = reasons_of(verdict),
          .preemption_may_help = verdict.code == Code::kUnschedulable};
}

std::string last_word(const Pod& pod) {
  const Result<json::Document> document = pod.object->document();
  const api::View root = document ? api::View(document->root()) : api::View();
  for (const api::View condition : root["status"]["conditions"].items()) {
    if (condition["type"].text() == "PodScheduled") return std::string(condition["message"].text());
  }
  return {};
}

std::vector<std::string> gates_of(const Pod& pod) {
  const Result<json::Document> document = pod.object->document();
  const api::View root = document ? api::View(document->root()) : api::View();
  std::vector<std::string> names;
  for (const api::View gate : root["spec"]["schedulingGates"].items()) {
    names.emplace_back(gate["name"].text());
  }
  return names;
}

Explanation about(const Pod& pod) {
  Explanation explanation;
  explanation.name_space = pod.name_space();
  explanation.name = pod.name();
  explanation.scheduler_name = pod.shape->scheduler_name;
  explanation.node = pod.node.str();
  explanation.nominated_node = pod.nominated_node.str();
  explanation.last_word = last_word(pod);
  return explanation;
}

// Whether the outcome is known without evaluating nodes.
bool is_settled(const Pod& pod, const Profile* profile, Explanation& explanation) {
  if (pod.finished) {
    explanation.outlook = PodOutlook::kFinished;
  } else if (!pod.node.empty()) {
    explanation.outlook = PodOutlook::kBound;
  } else if (pod.being_deleted) {
    explanation.outlook = PodOutlook::kBeingDeleted;
  } else if (profile == nullptr) {
    explanation.outlook = PodOutlook::kOtherScheduler;
    explanation.would_fit_if.push_back("start a scheduler named " + pod.shape->scheduler_name +
                                       ", or recreate the pod with another schedulerName");
  } else {
    return false;
  }
  return true;
}

// "a", "a and b", "a, b, c and 4 more"
std::string names_of(const std::vector<std::string>& names) {
  if (names.size() <= 1) return names.empty() ? "" : names[0];
  const size_t shown = std::min(names.size(), kMostNames);
  const bool all = shown == names.size();
  std::string text = join(std::span(names).first(all ? shown - 1 : shown), ", ");
  return text + " and " + (all ? names.back() : std::to_string(names.size() - shown) + " more");
}

// --- A question about one pod ---

class Question {
 public:
  Question(SchedulerSnapshot& snapshot, const Profile& profile, const PodPtr& pod, Clock& clock,
           Explanation& explanation)
      : snapshot_(snapshot),
        cluster_(snapshot.cluster()),
        profile_(profile),
        pod_(pod),
        clock_(clock),
        explanation_(explanation),
        evaluation_(profile, cluster_, snapshot.nominations(), *pod) {
    evaluation_.refresh(*pod);
  }

  void answer() {
    ask_gates();
    explanation_.node_count = cluster_.node_count();
    ask_nodes();
    if (explanation_.fits_on.empty()) look_for_room();
    const bool fits = !explanation_.fits_on.empty();
    const bool waits = std::ranges::any_of(explanation_.unbound_claims, &UnboundClaim::blocks);
    explanation_.outlook = !explanation_.held_back_by.empty() ? PodOutlook::kHeldBack
                           : fits && waits                    ? PodOutlook::kWaitsForVolume
                           : fits                             ? PodOutlook::kFits
                                                              : PodOutlook::kUnschedulable;
    if (!fits) explanation_.message = message();
    sum_up();
  }

 private:
  void ask_gates() {
    for (PreEnqueuePlugin* plugin : profile_.pre_enqueue) {
      const Verdict verdict = plugin->pre_enqueue(*pod_);
      if (!verdict.ok()) explanation_.held_back_by.push_back(objection_of(plugin, verdict));
    }
  }

  void ask_nodes() {
    if (const auto& rejection = evaluation_.pre_filter(); !rejection.verdict.ok()) {
      explanation_.everywhere.push_back(objection_of(rejection.plugin, rejection.verdict));
      return;
    }
    for (const NodeIndex node : evaluation_.feasible()) {
      explanation_.fits_on.push_back(cluster_.at(node).name().str());
    }
    std::sort(explanation_.fits_on.begin(), explanation_.fits_on.end());
    if (!explanation_.fits_on.empty()) {
      SeededRandom even(1);  // the same answer to the same question
      explanation_.node = cluster_.at(*evaluation_.choose(even)).name().str();
    }
    for (NodeIndex node = 0; node < cluster_.slots(); ++node) {
      if (cluster_.node(node) != nullptr) put_into_group(node);
    }
    for (NodeGroup& group : explanation_.groups) {
      std::sort(group.nodes.begin(), group.nodes.end(),
                [](const NodeSuggestions& a, const NodeSuggestions& b) { return a.name < b.name; });
    }
    std::sort(explanation_.groups.begin(), explanation_.groups.end(), is_nearer);
  }

  static bool is_nearer(const NodeGroup& a, const NodeGroup& b) {
    const auto distance = [](const NodeGroup& group) {
      const auto lasting =
          std::count_if(group.objections.begin(), group.objections.end(),
                        [](const PluginObjection& one) { return !one.preemption_may_help; });
      return std::make_tuple(group.objections.size(), lasting, -std::ssize(group.nodes),
                             std::string_view(group.nodes[0].name));
    };
    return distance(a) < distance(b);
  }

  void put_into_group(NodeIndex node) {
    std::vector<Suggested> all = objections(node);
    if (all.empty()) return;
    NodeSuggestions suggestions{.name = cluster_.at(node).name().str()};
    std::vector<PluginObjection> objections;
    for (auto& [objection, suggestion] : all) {
      objections.push_back(std::move(objection));
      suggestions.suggestions.push_back(std::move(suggestion));
    }
    std::vector<NodeGroup>& groups = explanation_.groups;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const NodeGroup& one) { return one.objections == objections; });
    if (group == groups.end()) {
      groups.push_back({.objections = std::move(objections)});
      group = std::prev(groups.end());
    }
    group->nodes.push_back(std::move(suggestions));
  }

  std::vector<Suggested> objections(NodeIndex node) {
    std::vector<Suggested> all;
    bool has_known = false;
    const Diagnosis::Rejection rejection = evaluation_.of(node);
    for (Evaluation::Objection& one : evaluation_.objections(node)) {
      has_known = has_known || one.plugin == rejection.plugin;
      // One step resolves both: a cordoned node is unschedulable, and has a taint that says so.
      const bool is_same_step =
          !one.suggestion.empty() &&
          std::ranges::find(all, one.suggestion, &Suggested::second) != all.end();
      if (is_same_step) continue;
      all.emplace_back(objection_of(one.plugin, one.verdict), std::move(one.suggestion));
    }
    if (rejection.plugin != nullptr && !has_known) {
      // No filter rejects the node as it is: PreFilter excluded it, or nominated pods reserve it.
      all.emplace(all.begin(), objection_of(rejection.plugin, rejection.verdict), rivals_on(node));
    }
    return all;
  }

  // Empty where there are none.
  std::string rivals_on(NodeIndex node) const {
    std::vector<std::string> rivals;
    for (const PodPtr& one : snapshot_.nominations().on(cluster_.at(node).name())) {
      if (one->priority() >= pod_->priority() && one->uid() != pod_->uid()) {
        rivals.push_back(one->key().str());
      }
    }
    if (rivals.empty()) return {};
    return "wait until " + names_of(rivals) + ", nominated to this node, " +
           (rivals.size() == 1 ? "is" : "are") + " scheduled";
  }

  void look_for_room() {
    const bool preempts = std::any_of(
        profile_.post_filter.begin(), profile_.post_filter.end(),
        [](const PostFilterPlugin* plugin) { return plugin->name() == "DefaultPreemption"; });
    if (!preempts || !explanation_.everywhere.empty() || cluster_.node_count() == 0) return;
    PreemptionOutlook& outlook = explanation_.preemption;
    outlook.looked = true;
    if (!pod_->shape->may_preempt) {
      outlook.why_not = "not eligible due to preemptionPolicy=Never.";
      return;
    }
    SeededRandom even(1);
    Candidates candidates(cluster_, snapshot_.nominations(), snapshot_.budgets(), clock_, even,
                          {.min_candidate_percentage = 100});
    const Candidates::Choice choice = candidates.choose(*pod_, evaluation_);
    outlook.why_not = choice.why_not;
    if (!choice.node) return;
    outlook.node = cluster_.at(*choice.node).name().str();
    for (const PodPtr& victim : choice.victims) outlook.victims.push_back(victim->key().str());
    const VictimsFound found = select_victims(cluster_, evaluation_, *pod_, *choice.node,
                                              snapshot_.budgets().all(), clock_.now());
    if (found.victims) outlook.violations = found.victims->violations;
  }

  std::string message() {
    if (cluster_.node_count() == 0) return "no nodes available to schedule pods";
    const std::string& why_not = explanation_.preemption.why_not;
    return fit_message(cluster_, evaluation_, why_not.empty() ? "" : "preemption: " + why_not);
  }

  // --- What would change it ---

  void sum_up() {
    std::vector<std::string>& lines = explanation_.would_fit_if;
    for (const PluginObjection& one : explanation_.held_back_by) {
      lines.push_back(one.plugin == "SchedulingGates"
                          ? "remove the scheduling gates: " + join(gates_of(*pod_), ", ")
                          : "resolve what " + one.plugin + " reports: " + join(one.reasons, ", "));
    }
    for (const UnboundClaim& claim : explanation_.unbound_claims) {
      if (claim.blocks()) lines.push_back("get the volume provisioned: " + describe(claim));
    }
    if (!explanation_.fits_on.empty()) return;
    if (cluster_.node_count() == 0) lines.emplace_back("add a node");
    for (const PluginObjection& one : explanation_.everywhere) {
      lines.push_back("resolve what " + one.plugin + " reports: " + join(one.reasons, ", "));
    }
    add_room(lines);
    add_nearest(lines);
  }

  void add_room(std::vector<std::string>& lines) const {
    const PreemptionOutlook& outlook = explanation_.preemption;
    if (outlook.node.empty()) return;
    lines.push_back("on node " + outlook.node + ": wait until the scheduler has preempted " +
                    names_of(outlook.victims) + ", of lower priority");
  }

  // Of each of the groups with the fewest objections, what most of its nodes need.
  void add_nearest(std::vector<std::string>& lines) const {
    size_t told = 0;
    for (const NodeGroup& group : explanation_.groups) {
      const bool is_farther =
          group.objections.size() > explanation_.groups.front().objections.size();
      if (is_farther || ++told > kMostAlternatives) return;
      std::map<std::string, std::vector<std::string>> by_need;
      for (const NodeSuggestions& node : group.nodes) {
        by_need[need_of(group, node)].push_back(node.name);
      }
      const auto& [need, names] = *std::max_element(
          by_need.begin(), by_need.end(),
          [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); });
      lines.push_back("on node" + std::string(names.size() > 1 ? "s " : " ") + names_of(names) +
                      ": " + need);
    }
  }

  static std::string need_of(const NodeGroup& group, const NodeSuggestions& node) {
    std::vector<std::string> needs;
    for (size_t i = 0; i < group.objections.size(); ++i) {
      needs.push_back(!node.suggestions[i].empty()
                          ? node.suggestions[i]
                          : "resolve: " + join(group.objections[i].reasons, ", "));
    }
    return join(needs, "; and ");
  }

  SchedulerSnapshot& snapshot_;
  Cluster& cluster_;
  const Profile& profile_;
  const PodPtr& pod_;
  Clock& clock_;
  Explanation& explanation_;
  Evaluation evaluation_;
};

}  // namespace explaining

Result<Explanation> explain(const SchedulerContext& context, const SchedulerConfig& config,
                            std::string_view name_space, std::string_view name) {
  // Before all else: what can't be reached, or is not there, need not be looked at.
  TRY(context.client.get({.resource = context.schema.find_resource("", "v1", "pods"),
                          .name_space = std::string(name_space),
                          .name = std::string(name),
                          .subresource = {}},
                         Until::after(context.clock, client::BoundedClient::kTimeout)));
  const std::unique_ptr<SchedulerSnapshot> snapshot = TRY(SchedulerSnapshot::make(context, config));
  const PodPtr pod = snapshot->find(name_space, name);
  if (pod == nullptr) {
    return Status(Reason::kNotFound, "pods \"" + std::string(name) + "\" not found");
  }
  Explanation explanation = explaining::about(*pod);
  const Profile* profile = snapshot->profile_of(*pod);
  if (explaining::is_settled(*pod, profile, explanation)) return explanation;
  explanation.unbound_claims = unbound_claims(context, *pod);
  explaining::Question(*snapshot, *profile, pod, context.clock, explanation).answer();
  return explanation;
}

}  // namespace proa::scheduler
