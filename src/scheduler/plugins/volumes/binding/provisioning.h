#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/plugins/volumes/binding/storage_state.h"

namespace proa::scheduler {

// How much the largest volume of a pool can hold; nullopt: that is not known.
std::optional<int64_t> largest_volume(const api::Object& capacity);

// Whether a node is where a class allows volumes to be made.
bool allows(const api::Object& storage_class, const api::Metadata& node);

// Whether a volume can be made for a claim, and for which nodes.
class Provisioning {
 public:
  // The sights' objects are kept as they are now.
  Provisioning(const StorageSights& sights, const kinds::ClaimFacts& claim);

  // Why it can't be found out; empty when it can.
  const std::string& error() const { return error_; }

  enum class Answer : uint8_t { kYes, kNotThere, kNoSpace };
  // REQUIRES: no error.
  Answer ask(const api::Metadata& node) const;

 private:
  void find_pools(const StorageSights& sights, const kinds::ClaimFacts& claim);

  std::string error_;
  api::ObjectPtr its_class_;  // null: it makes none
  bool needs_space_ = false;
  std::vector<api::ObjectPtr> pools_;  // that have enough space for it
};

}  // namespace proa::scheduler
