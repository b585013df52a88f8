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
    for (NodeIndex node = 0; node < cluster.slots(); ++node) {
      if (cluster.node(node) != nullptr) counts.add(diagnosis.of(node).verdict);
    }
    message = counts.none_available(cluster.node_count());
  }
  if (!after.empty()) message.append(" ").append(after);
  return message;
}

const Diagnosis::Rejection* first_error(const Cluster& cluster, const Diagnosis& diagnosis) {
  for (NodeIndex node = 0; node < cluster.slots(); ++node) {
    if (cluster.node(node) == nullptr) continue;
    const Diagnosis::Rejection& rejection = diagnosis.of(node);
    if (rejection.verdict.code == Code::kError) return &rejection;
  }
  return nullptr;
}

std::vector<const Plugin*> rejecting_plugins(const Cluster& cluster, const Diagnosis& diagnosis) {
  std::vector<const Plugin*> plugins = diagnosis.narrowed_by();
  const auto add = [&](const Plugin* plugin) {
    if (plugin == nullptr) return;
    if (std::find(plugins.begin(), plugins.end(), plugin) == plugins.end()) {
      plugins.push_back(plugin);
    }
  };
  add(diagnosis.pre_filter().plugin);
  if (!diagnosis.pre_filter().verdict.ok()) return plugins;
  const Plugin* last = nullptr;
  for (NodeIndex node = 0; node < cluster.slots(); ++node) {
    if (cluster.node(node) == nullptr) continue;
    const Plugin* plugin = diagnosis.of(node).plugin;
    if (plugin != last) add(plugin);
    last = plugin;
  }
  return plugins;
}

}  // namespace proa::scheduler
