#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/selector/label_selector.h"

namespace proa::policy {

// Finds those of many selectors that match some labels, without looking at the others: each is kept
// at labels that an object must have in order to match.
class SelectorIndex {
 public:
  using Id = uint64_t;

  // REQUIRES: the id is not there; the selector outlives it.
  void add(Id id, const api::LabelSelector& selector);
  void remove(Id id);
  bool empty() const { return places_.empty(); }

  // Ids of all that match, ascending.
  std::vector<Id> find(std::span<const api::LabelPair> labels) const;

 private:
  struct Entry {
    Id id;
    const api::LabelSelector* selector;
  };
  using Bucket = std::vector<Entry>;

  size_t size_of(const std::string& place) const;
  static void append_matches(const Bucket& bucket, std::span<const api::LabelPair> labels,
                             std::vector<Id>& found);

  // By "key=value", or "key" alone; "" has those that need no label.
  std::unordered_map<std::string, Bucket> buckets_;
  std::unordered_map<Id, std::vector<std::string>> places_;
};

}  // namespace proa::policy
