#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kinds/core/volumes/volume_facts.h"

namespace proa::scheduler {

// The volumes that may be given to one claim. All that does not depend on the node is decided when
// it is made; volumes that only few nodes can have are found by the nodes' labels.
class VolumeChoice {
 public:
  // Of two that are the same size, the first of `volumes` is better.
  VolumeChoice(const kinds::ClaimFacts& claim, std::span<const api::ObjectPtr> volumes);

  using Taken = std::span<const api::ObjectPtr* const>;
  // The smallest that the node can have and that is not taken; where one is reserved for the claim,
  // it is that or none. Null when there is none.
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
  Positions anywhere_;          // they may have an affinity, but a manifold one
  std::vector<Pinned> pinned_;  // the texts are those of volume_place()
};

}  // namespace proa::scheduler
