#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kinds/core/volumes/volume_facts.h"

// What is to be done for a claim or a volume. Touches nothing.

namespace proa::controllers::storage {

// What people are told.
struct Notice {
  bool warning = false;
  std::string reason = {};
  std::string message = {};
};

// What a claim's plan depends on besides the claim.
struct ClaimSight {
  // The volume that it names, or the best match when it names none; null when there is none.
  const kinds::VolumeFacts* volume = nullptr;
  // The class that it names; null when there is none.
  const kinds::ClassFacts* its_class = nullptr;
  bool has_default_class = false;
  std::vector<std::string> waiting_pods = {};  // that use it, and have no node yet
};

enum class ClaimStep : uint8_t {
  kBind,       // to the volume that was seen
  kWait,       // stay, or become, pending
  kGiveClass,  // the default one
  kProvision,  // ask the class's provisioner for a volume
  kLose,       // it was bound, and is not any more
};

struct ClaimPlan {
  ClaimStep step;
  std::optional<Notice> notice = std::nullopt;
};

ClaimPlan plan_claim(const kinds::ClaimFacts& claim, const ClaimSight& sight);

enum class VolumeStep : uint8_t {
  kOffer,    // available
  kKeep,     // bound
  kReclaim,  // released: its claim is gone, or took another volume
  kUnbind,   // of a claim that took another volume, but not made for it
  kLeave,    // the claim's turn
  kTell,     // reserved for a claim that can't have it
};

// `claim`: the one that the volume is bound to; null when that is gone.
VolumeStep plan_volume(const kinds::VolumeFacts& volume, const kinds::ClaimFacts* claim);

enum class Reclaim : uint8_t {
  kNothing,  // kept, or removed by whoever made it
  kDelete,   // the object
  kFail,
};

struct ReclaimPlan {
  Reclaim step;
  std::optional<Notice> notice = std::nullopt;  // of a failure, or why nothing is done yet
};

// What becomes of a released volume. `users`: pods that still use it, "namespace/name".
ReclaimPlan plan_reclaim(const kinds::VolumeFacts& volume, const std::vector<std::string>& users);

}  // namespace proa::controllers::storage
