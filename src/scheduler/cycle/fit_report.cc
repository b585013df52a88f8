#include "scheduler/cycle/fit_report.h"

#include <algorithm>

#include "base/strings.h"
#include "scheduler/framework/reason_counts.h"

namespace proa::scheduler {
std::string fit_message(const Cluster& cluster, const Diagnosis& diagnosis,
                        std::string_view after) {
  ReasonCounts counts;
  std::string message;
  if (const Verdict& verdict = diagnosis.pre_filter().verdict; !verdict.ok()) {
    message = counts.none_available(cluster.node_count()) + " ";
    if (verdict.reasons != nullptr) message += join(*verdict.reasons, ", ");
    message += ".";
  } else {
    for (const RejectionTally::Line& line : diagnosis.tally().lines()) {
      counts.add(line.rejection.verdict, line.nodes);
    }
    message = counts.none_available(cluster.node_count());
  }
  if (!after.empty()) message.append(" ").append(after);
  return message;
}

const Diagnosis::Rejection* first_error(const Cluster& cluster, const Diagnosis& diagnosis) {
  if (diagnosis.tally().count(Code::kError) == 0) return nullptr;
  for (NodeIndex node = 0; node < cluster.slots(); ++node) {
    if (cluster.node(node) == nullptr) continue;
    const Diagnosis::Rejection& rejection = diagnosis.of(node);
    if (rejection.verdict.code == Code::kError) return &rejection;
  }
  return nullptr;
}

std::vector<const Plugin*> rejecting_plugins(const Diagnosis& diagnosis) {
  std::vector<const Plugin*> plugins = diagnosis.narrowed_by();
  const auto add = [&](const Plugin* plugin) {
    if (plugin == nullptr) return;
    if (std::find(plugins.begin(), plugins.end(), plugin) == plugins.end()) {
      plugins.push_back(plugin);
    }
  };
  add(diagnosis.pre_filter().plugin);
  for (const RejectionTally::Line& line : diagnosis.tally().lines()) add(line.rejection.plugin);
  return plugins;
}

}  // namespace proa::scheduler
