#include "policy/model/selector_index.h"

#include <algorithm>

namespace proa::policy {
namespace selector_index {

using Requirement = api::LabelSelector::Requirement;
using Operator = api::LabelSelector::Operator;

// Where objects that meet the requirement are found; empty: it does not need a label.
std::vector<std::string> places_of(const Requirement& requirement) {
  std::vector<std::string> places;
  switch (requirement.op) {
    case Operator::kIn:
    case Operator::kEquals:
    case Operator::kDoubleEquals:
      places.reserve(requirement.values.size());
      for (const std::string& value : requirement.values) {
        places.push_back(requirement.key + "=" + value);
      }
      break;
    case Operator::kExists:
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      places.push_back(requirement.key);
      break;
    case Operator::kNotIn:
    case Operator::kNotEquals:
    case Operator::kDoesNotExist:
      break;
  }
  return places;
}

}  // namespace selector_index

size_t SelectorIndex::size_of(const std::string& place) const {
  const auto found = buckets_.find(place);
  return found == buckets_.end() ? 0 : found->second.size();
}

void SelectorIndex::add(Id id, const api::LabelSelector& selector) {
  if (selector.matches_nothing()) {
    places_.try_emplace(id);
    return;
  }
  std::vector<std::string> best = {""};
  size_t least = SIZE_MAX;
  for (const auto& requirement : selector.requirements()) {
    std::vector<std::string> places = selector_index::places_of(requirement);
    if (places.empty()) continue;
    // Few others there: few to look at in vain.
    size_t others = 0;
    for (const std::string& place : places) others += size_of(place);
    if (others >= least) continue;
    least = others;
    best = std::move(places);
  }
  for (const std::string& place : best) buckets_[place].push_back({id, &selector});
  places_.emplace(id, std::move(best));
}

void SelectorIndex::remove(Id id) {
  const auto found = places_.find(id);
  if (found == places_.end()) return;
  for (const std::string& place : found->second) {
    const auto bucket = buckets_.find(place);
    std::erase_if(bucket->second, [id](const Entry& entry) { return entry.id == id; });
    if (bucket->second.empty()) buckets_.erase(bucket);
  }
  places_.erase(found);
}

void SelectorIndex::append_matches(const Bucket& bucket, std::span<const api::LabelPair> labels,
                                   std::vector<Id>& found) {
  for (const Entry& entry : bucket) {
    if (entry.selector->matches(labels)) found.push_back(entry.id);
  }
}

std::vector<SelectorIndex::Id> SelectorIndex::find(std::span<const api::LabelPair> labels) const {
  std::vector<Id> found;
  const auto look = [&](const std::string& place) {
    const auto bucket = buckets_.find(place);
    if (bucket != buckets_.end()) append_matches(bucket->second, labels, found);
  };
  look("");
  for (const auto& [key, value] : labels) {
    std::string place(key);
    look(place);
    place += '=';
    place += value;
    look(place);
  }
  std::ranges::sort(found);
  // A selector may name a value twice.
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace proa::policy
