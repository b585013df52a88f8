#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/plugins/volumes/binding/storage_state.h"

namespace proa::scheduler {

// The maximum volume size of a pool; nullopt if unknown.
std::optional<int64_t> largest_volume(const api::Object& capacity);

// Whether the class's allowedTopologies include a node.
bool allows(const api::Object& storage_class, const api::Metadata& node);

// Whether a volume can be provisioned for a claim, and for which nodes.
class Provisioning {
 public:
  // Keeps the current objects of `storage`.
  Provisioning(const StorageState& storage, const kinds::ClaimFacts& claim);

  // Evaluation error; empty if none.
  const std::string& error() const { return error_; }

  enum class Answer : uint8_t { kYes, kNotThere, kNoSpace };
  // REQUIRES: no error.
  Answer ask(const api::Metadata& node) const;

 private:
  void find_pools(const StorageState& storage, const kinds::ClaimFacts& claim);

  std::string error_;
  api::ObjectPtr its_class_;  // null: no provisioning
  bool needs_space_ = false;
  std::vector<api::ObjectPtr> pools_;  // with enough capacity
};

}  // namespace proa::scheduler
