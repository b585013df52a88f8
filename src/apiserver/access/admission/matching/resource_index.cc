#include "apiserver/access/admission/matching/resource_index.h"

#include <algorithm>
#include <iterator>

namespace proa::apiserver {

void ResourceIndex::add(const MatchCriteria& criteria) {
  const uint32_t place = count_++;
  std::vector<std::string_view> resources;
  if (!criteria.lists_resources(resources)) {
    others_.push_back(place);
    return;
  }
  for (const std::string_view resource : resources) {
    auto found = listed_.find(resource);
    if (found == listed_.end()) found = listed_.emplace(resource, std::vector<uint32_t>()).first;
    std::vector<uint32_t>& places = found->second;
    // Rules name a resource several times: for its subresources.
    if (places.empty() || places.back() != place) places.push_back(place);
  }
}

bool ResourceIndex::has(std::string_view resource) const {
  return !others_.empty() || listed_.contains(resource);
}

std::vector<uint32_t> ResourceIndex::find(std::string_view resource) const {
  const auto found = listed_.find(resource);
  if (found == listed_.end()) return others_;
  std::vector<uint32_t> places;
  places.reserve(found->second.size() + others_.size());
  std::ranges::merge(found->second, others_, std::back_inserter(places));
  return places;
}

}  // namespace proa::apiserver
