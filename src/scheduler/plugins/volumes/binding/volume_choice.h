#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinds/core/volumes/volume_facts.h"

namespace proa::scheduler {

// The candidate volumes of one claim. Everything that does not depend on the node is computed on
// construction; volumes pinned to few nodes are indexed by node labels.
class VolumeChoice {
 public:
  // Of volumes of equal size, the first of `volumes` is preferred.
  VolumeChoice(const kinds::ClaimFacts& claim, std::span<const api::ObjectPtr> volumes);

  using Taken = std::span<const api::ObjectPtr* const>;
  // The smallest free volume accessible from the node; if one is reserved for the claim, only that.
  // Null if there is none.
  const api::ObjectPtr* find(const api::Metadata& node, Taken taken) const;

 private:
  using Positions = std::vector<uint32_t>;  // in by_size_; ascending
  struct Pinned {
    std::string_view label = {};
    std::unordered_map<std::string_view, Positions> by_value = {};
  };

  void index();
  Positions& pinned(std::string_view label, std::string_view value);
  bool fits(uint32_t position, const api::Metadata& node, Taken taken) const;

  std::vector<api::ObjectPtr> reserved_;
  std::vector<api::ObjectPtr> by_size_;
  Positions anywhere_;          // without affinity, or with a complex one
  std::vector<Pinned> pinned_;  // texts point into volume_place()
};

}  // namespace proa::scheduler
