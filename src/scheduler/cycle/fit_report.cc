#include "scheduler/cycle/fit_report.h"

#include <algorithm>
#include <map>

#include "base/strings.h"

namespace proa::scheduler {
namespace fit_report {

// "2 Insufficient cpu", sorted as texts.
std::vector<std::string> histogram(const Cluster& cluster, const Diagnosis& diagnosis) {
  std::map<const Verdict::Reasons*, size_t> by_verdict;
  for (NodeIndex node = 0; node < cluster.slots(); ++node) {
    if (cluster.node(node) == nullptr) continue;
    const Verdict& verdict = diagnosis.of(node).verdict;
    if (verdict.reasons != nullptr) ++by_verdict[verdict.reasons];
  }
  std::map<std::string_view, size_t> by_reason;
  for (const auto& [reasons, count] : by_verdict) {
    for (const std::string& reason : *reasons) by_reason[reason] += count;
  }
  std::vector<std::string> lines;
  for (const auto& [reason, count] : by_reason) {
    lines.push_back(std::to_string(count).append(" ").append(reason));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace fit_report

std::string fit_message(const Cluster& cluster, const Diagnosis& diagnosis,
                        std::string_view after) {
  std::string message = "0/" + std::to_string(cluster.node_count()) + " nodes are available:";
  const Diagnosis::Rejection& pre_filter = diagnosis.pre_filter();
  if (!pre_filter.verdict.ok()) {
    message += " ";
    if (pre_filter.verdict.reasons != nullptr) message += join(*pre_filter.verdict.reasons, ", ");
    message += ".";
  } else {
    const std::vector<std::string> lines = fit_report::histogram(cluster, diagnosis);
    if (!lines.empty()) message.append(" ").append(join(lines, ", ")).append(".");
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
