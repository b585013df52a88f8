#include "scheduler/explain/show.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/object/edit.h"
#include "base/strings.h"
#include "scheduler/explain/claims.h"

namespace proa::scheduler {
namespace show {

// Of nodes of a kind, so many are named.
constexpr size_t kMostNodes = 5;

std::string_view word_of(PodOutlook outlook) {
  switch (outlook) {
    case PodOutlook::kUnschedulable:
      return "Unschedulable";
    case PodOutlook::kFits:
      return "Fits";
    case PodOutlook::kWaitsForVolume:
      return "WaitsForVolume";
    case PodOutlook::kHeldBack:
      return "HeldBack";
    case PodOutlook::kBound:
      return "Bound";
    case PodOutlook::kOtherScheduler:
      return "OtherScheduler";
    case PodOutlook::kBeingDeleted:
      return "BeingDeleted";
    case PodOutlook::kFinished:
      break;
  }
  return "Finished";
}

std::string headline(const Explanation& about) {
  const std::string pod = "Pod " + about.name_space + "/" + about.name;
  switch (about.outlook) {
    case PodOutlook::kUnschedulable:
      return pod + " does not fit on any node.";
    case PodOutlook::kFits:
      return pod + " fits on node " + about.node + ". Scheduler " + about.scheduler_name +
             " has not bound it yet; check that it is running.";
    case PodOutlook::kWaitsForVolume:
      return pod + " fits on node " + about.node + ", but waits for a volume.";
    case PodOutlook::kHeldBack:
      return pod + " is gated and not scheduled yet.";
    case PodOutlook::kBound:
      return pod + " is bound to node " + about.node + ".";
    case PodOutlook::kOtherScheduler:
      return pod + " waits for scheduler " + about.scheduler_name + ", which is not this one.";
    case PodOutlook::kBeingDeleted:
      return pod + " is being deleted and will not be scheduled.";
    case PodOutlook::kFinished:
      break;
  }
  return pod + " has terminated" + (about.node.empty() ? "." : " on node " + about.node + ".");
}

// "n1, n2 and 35 more"
std::string list(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMostNodes);
  std::string text = join(std::span(names).first(shown), ", ");
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

size_t width_of_names(const std::vector<PluginObjection>& objections) {
  size_t width = 0;
  for (const PluginObjection& one : objections) width = std::max(width, one.plugin.size());
  return width;
}

// What nodes of a group need, against one objection: once where all need the same.
void add_suggestions(std::string& text, const NodeGroup& group, size_t objection, size_t indent) {
  std::vector<std::pair<std::string_view, std::vector<std::string>>> by_suggestion;
  for (const NodeSuggestions& node : group.nodes) {
    const std::string_view suggestion = node.suggestions[objection];
    auto known = std::find_if(by_suggestion.begin(), by_suggestion.end(),
                              [&](const auto& one) { return one.first == suggestion; });
    if (known == by_suggestion.end()) {
      by_suggestion.push_back({suggestion, {}});
      known = std::prev(by_suggestion.end());
    }
    known->second.push_back(node.name);
  }
  for (size_t i = 0; i < std::min(by_suggestion.size(), kMostNodes); ++i) {
    const auto& [suggestion, names] = by_suggestion[i];
    if (suggestion.empty()) continue;
    const std::string whose = by_suggestion.size() == 1 ? "" : list(names) + ": ";
    text += fmt::format("{:{}}> {}{}\n", "", indent, whose, suggestion);
  }
  if (by_suggestion.size() > kMostNodes) text += fmt::format("{:{}}> ...\n", "", indent);
}

void add_group(std::string& text, const NodeGroup& group) {
  std::vector<std::string> names;
  for (const NodeSuggestions& node : group.nodes) names.push_back(node.name);
  text += names.size() == 1 ? fmt::format("  1 node: {}\n", names[0])
                            : fmt::format("  {} nodes: {}\n", names.size(), list(names));
  const size_t width = width_of_names(group.objections);
  for (size_t i = 0; i < group.objections.size(); ++i) {
    const PluginObjection& one = group.objections[i];
    text += fmt::format("    {:<{}}  {}\n", one.plugin, width, join(one.reasons, ", "));
    add_suggestions(text, group, i, width + 6);
  }
}

void add_objections(std::string& text, std::string_view title,
                    const std::vector<PluginObjection>& objections) {
  if (objections.empty()) return;
  text += fmt::format("\n{}\n", title);
  const size_t width = width_of_names(objections);
  for (const PluginObjection& one : objections) {
    text += fmt::format("    {:<{}}  {}\n", one.plugin, width, join(one.reasons, ", "));
  }
}

void add_preemption(std::string& text, const PreemptionOutlook& outlook) {
  if (outlook.node.empty()) return;  // the message says why
  text += "\nPreemption\n";
  text += fmt::format("  would make room on node {} by evicting {} pod{}: {}\n", outlook.node,
                      outlook.victims.size(), outlook.victims.size() == 1 ? "" : "s",
                      list(outlook.victims));
  if (outlook.violations > 0) {
    text += fmt::format("  {} of them would violate a PodDisruptionBudget\n", outlook.violations);
  }
}

// --- JSON ---

void add_texts(const api::Edit& into, std::string_view name,
               const std::vector<std::string>& texts) {
  const api::Edit array = into.array(name);
  for (const std::string& text : texts) array.push(json::Value::string(array.arena(), text));
}

void add_objections(const api::Edit& into, std::string_view name,
                    const std::vector<PluginObjection>& objections) {
  const api::Edit array = into.array(name);
  for (const PluginObjection& one : objections) {
    const api::Edit objection = array.push_object();
    objection.set("plugin", one.plugin);
    add_texts(objection, "reasons", one.reasons);
    objection.set("preemptionMayHelp", one.preemption_may_help);
  }
}

void add_groups(const api::Edit& into, const std::vector<NodeGroup>& groups) {
  const api::Edit array = into.array("groups");
  for (const NodeGroup& group : groups) {
    const api::Edit one = array.push_object();
    one.set("nodeCount", static_cast<int64_t>(group.nodes.size()));
    add_objections(one, "objections", group.objections);
    const api::Edit nodes = one.array("nodes");
    for (const NodeSuggestions& node : group.nodes) {
      const api::Edit named = nodes.push_object();
      named.set("name", node.name);
      add_texts(named, "suggestions", node.suggestions);
    }
  }
}

void add_claims(const api::Edit& into, const std::vector<UnboundClaim>& claims) {
  const api::Edit array = into.array("unboundClaims");
  for (const UnboundClaim& claim : claims) {
    const api::Edit one = array.push_object();
    one.set("name", claim.name);
    one.set("storageClassName", claim.storage_class);
    one.set("provisioner", claim.provisioner);
    one.set("nodeSelected", claim.node_selected);
    one.set("warning", claim.warning);
  }
}

void add_preemption(const api::Edit& into, const PreemptionOutlook& outlook) {
  const api::Edit preemption = into.object("preemption");
  preemption.set("looked", outlook.looked);
  preemption.set("node", outlook.node);
  add_texts(preemption, "victims", outlook.victims);
  preemption.set("budgetViolations", outlook.violations);
  preemption.set("whyNot", outlook.why_not);
}

}  // namespace show

std::string show_text(const Explanation& explanation) {
  std::string text = show::headline(explanation) + "\n";
  if (!explanation.message.empty()) {
    text += explanation.outlook == PodOutlook::kHeldBack ? "If it were not gated: " : "";
    text += explanation.message + "\n";
  }
  if (!explanation.nominated_node.empty()) {
    text += "Nominated node: " + explanation.nominated_node + ".\n";
  }
  if (!explanation.last_word.empty() && explanation.last_word != explanation.message &&
      explanation.outlook != PodOutlook::kBound) {
    text += "Last scheduler message: " + explanation.last_word + "\n";
  }
  if (!explanation.unbound_claims.empty()) text += "\nClaims that are not bound\n";
  for (const UnboundClaim& claim : explanation.unbound_claims) {
    text += "  " + describe(claim) + "\n";
  }
  show::add_objections(text, "Gated by", explanation.held_back_by);
  show::add_objections(text, "Rejected for all nodes", explanation.everywhere);
  if (explanation.fits_on.size() > 1 || explanation.outlook == PodOutlook::kHeldBack) {
    if (!explanation.fits_on.empty()) {
      text += fmt::format(
          "\n"
          "Fits on {} of {} node{}: {}\n",
          explanation.fits_on.size(), explanation.node_count,
          explanation.node_count == 1 ? "" : "s", show::list(explanation.fits_on));
    }
  }
  if (!explanation.groups.empty())
    text +=
        "\n"
        "Nodes that do not fit, closest first\n";
  for (const NodeGroup& group : explanation.groups) show::add_group(text, group);
  show::add_preemption(text, explanation.preemption);
  if (!explanation.would_fit_if.empty())
    text +=
        "\n"
        "Suggestions\n";
  for (const std::string& line : explanation.would_fit_if) text += "  - " + line + "\n";
  return text;
}

json::Document show_json(const Explanation& explanation) {
  json::Document document;
  document.root() = json::Value::object();
  const api::Edit root(document);
  root.set("namespace", explanation.name_space);
  root.set("name", explanation.name);
  root.set("schedulerName", explanation.scheduler_name);
  root.set("outlook", show::word_of(explanation.outlook));
  root.set("node", explanation.node);
  root.set("nominatedNode", explanation.nominated_node);
  root.set("lastWord", explanation.last_word);
  root.set("message", explanation.message);
  root.set("nodeCount", static_cast<int64_t>(explanation.node_count));
  show::add_texts(root, "fitsOn", explanation.fits_on);
  show::add_objections(root, "heldBackBy", explanation.held_back_by);
  show::add_objections(root, "everywhere", explanation.everywhere);
  show::add_groups(root, explanation.groups);
  show::add_preemption(root, explanation.preemption);
  show::add_claims(root, explanation.unbound_claims);
  show::add_texts(root, "wouldFitIf", explanation.would_fit_if);
  return document;
}

}  // namespace proa::scheduler
