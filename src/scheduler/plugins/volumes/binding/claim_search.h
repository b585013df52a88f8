#pragma once

#include <string>
#include <vector>

#include "scheduler/plugins/volumes/binding/provisioning.h"
#include "scheduler/plugins/volumes/binding/volume_choice.h"
#include "scheduler/plugins/volumes/pod_volumes.h"

namespace proa::scheduler {

// The claims of a pod by their state.
struct SortedClaims {
  std::vector<api::ObjectPtr> bound = {};
  std::vector<api::ObjectPtr> delayed = {};  // bound after a node is chosen
  bool has_immediate = false;                // one with immediate binding is not bound yet
};
Result<SortedClaims> sort_claims(const StorageState& storage, const Pod& pod);

// Whether a node can access the volume, which may be a migrated in-tree volume.
bool can_have(const api::Metadata& node, const client::Cache& csi_nodes, const api::Object& volume);

// Why a pod's claims have no volumes on a node. Bits.
namespace problem {
inline constexpr uint8_t kBoundElsewhere = 1U << 0;
inline constexpr uint8_t kNoVolume = 1U << 1;
inline constexpr uint8_t kNoSpace = 1U << 2;
inline constexpr uint8_t kVolumeGone = 1U << 3;
inline constexpr uint8_t kAll = (1U << 4) - 1;
}  // namespace problem

// The volumes that the claims of one pod have, or could have, on nodes, as of its construction.
class ClaimSearch {
 public:
  // `storage` outlives it.
  ClaimSearch(const StorageState& storage, const SortedClaims& claims);

  // Whether the result differs between nodes, or is negative.
  bool must_ask() const { return must_ask_; }

  struct Outcome {
    uint8_t problems = 0;
    const std::string* error = nullptr;  // evaluation error; null: none
  };
  // `bindings`: receives the writes, unless null.
  Outcome look(const api::Metadata& node, VolumeBindings* bindings);
  // For users: what would make the node fit.
  std::string suggestion(const api::Metadata& node);

 private:
  struct Bound {
    api::ObjectPtr claim = {};
    api::ObjectPtr volume = {};  // null: deleted
  };
  struct Delayed {
    api::ObjectPtr claim;
    VolumeChoice choice;
    Provisioning provisioning;
  };

  // The first volume that the node cannot access; null if none.
  const Bound* find_refused(const api::Metadata& node) const;
  // Null if volumes are being provisioned for this node, or for none yet.
  const Delayed* find_promised_elsewhere(const api::Metadata& node) const;
  Outcome provision(const Delayed& delayed, const api::Metadata& node,
                    VolumeBindings* bindings) const;

  const StorageState& storage_;
  std::vector<Bound> bound_;
  std::vector<Delayed> promised_;  // provisioning was requested for a node
  std::vector<Delayed> open_;      // the smallest first
  bool must_ask_ = false;
  const Delayed* refused_ = nullptr;          // by look(), which found a problem with it
  std::vector<const Delayed*> unmatched_;     // for the current node
  std::vector<const api::ObjectPtr*> taken_;  // the same
};

}  // namespace proa::scheduler
