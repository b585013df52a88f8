#include "policy/model/facts.h"

#include <algorithm>

namespace proa::policy {

std::vector<api::LabelPair> views_of(const Labels& labels) {
  std::vector<api::LabelPair> views;
  views.reserve(labels.size());
  for (const auto& [key, value] : labels) views.emplace_back(key, value);
  return views;
}

bool AddressPeer::contains(const IpAddress& address) const {
  return range.contains(address) &&
         std::ranges::none_of(except, [&](const IpPrefix& one) { return one.contains(address); });
}

}  // namespace proa::policy
