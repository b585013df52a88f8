#include "scheduler/model/domains.h"

namespace proa::scheduler {

void Domains::set(NodeIndex node, const std::string_view* value) {
  if (node >= of_.size()) of_.resize(node + 1, kNoDomain);
  DomainIndex domain = kNoDomain;
  if (value != nullptr) {
    const auto [found, added] =
        by_value_.try_emplace(std::string(*value), static_cast<DomainIndex>(values_.size()));
    if (added) {
      values_.emplace_back(*value);
      nodes_.push_back(0);
    }
    domain = found->second;
  }
  if (of_[node] == domain) return;
  if (of_[node] != kNoDomain) --nodes_[of_[node]];
  if (domain != kNoDomain) ++nodes_[domain];
  of_[node] = domain;
}

}  // namespace proa::scheduler
