#include "scheduler/framework/reason_counts.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::scheduler {

void ReasonCounts::add(const Verdict& verdict, size_t nodes) {
  if (verdict.reasons != nullptr) verdicts_[verdict.reasons] += nodes;
}

std::string ReasonCounts::none_available(size_t nodes) const {
  std::map<std::string, size_t> all = counts_;
  for (const auto& [reasons, count] : verdicts_) {
    for (const std::string& reason : *reasons) all[reason] += count;
  }
  std::vector<std::string> lines;
  for (const auto& [reason, count] : all) {
    lines.push_back(std::to_string(count).append(" ").append(reason));
  }
  std::sort(lines.begin(), lines.end());
  std::string text = "0/" + std::to_string(nodes) + " nodes are available:";
  if (!lines.empty()) text.append(" ").append(join(lines, ", ")).append(".");
  return text;
}

}  // namespace proa::scheduler
