#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/object/names.h"
#include "kinds/core/volumes/volume_facts.h"

// Decides what to do with a claim or a volume. Pure functions.

namespace proa::controllers::storage {

// An event.
struct Notice {
  bool warning = false;
  std::string reason = {};
  std::string message = {};
};

// The state, besides the claim, that its plan depends on.
struct ClaimState {
  // The volume that it names, or the best match; null if there is none.
  const kinds::VolumeFacts* volume = nullptr;
  // The class that it names; null if it does not exist.
  const kinds::ClassFacts* its_class = nullptr;
  bool has_default_class = false;
  std::vector<std::string> waiting_pods = {};  // pods without a node that use it
};

enum class ClaimStep : uint8_t {
  kBind,       // bind to `volume`
  kWait,       // set to pending
  kGiveClass,  // set the default class
  kProvision,  // request a volume from the provisioner
  kLose,       // set to Lost: it was bound and no longer is
};

struct ClaimPlan {
  ClaimStep step;
  std::optional<Notice> notice = std::nullopt;
};

ClaimPlan plan_claim(const kinds::ClaimFacts& claim, const ClaimState& state);

enum class VolumeStep : uint8_t {
  kOffer,    // set to Available
  kKeep,     // set to Bound
  kReclaim,  // set to Released: its claim is gone or bound to another volume
  kUnbind,   // remove the claimRef: its claim is bound to another volume
  kLeave,    // nothing; the claim is reconciled
  kTell,     // event: reserved for a claim that it does not match
};

// `claim`: the claim of the claimRef; null if deleted.
VolumeStep plan_volume(const kinds::VolumeFacts& volume, const kinds::ClaimFacts* claim);

enum class Reclaim : uint8_t {
  kNothing,  // retained, or deleted by its provisioner
  kDelete,   // delete the object
  kFail,
};

struct ReclaimPlan {
  Reclaim step;
  std::optional<Notice> notice = std::nullopt;  // of a failure or a delay
};

// Decides about a released volume. `users`: pods that still use it.
ReclaimPlan plan_reclaim(const kinds::VolumeFacts& volume, std::span<const api::PodKey> users);

}  // namespace proa::controllers::storage
