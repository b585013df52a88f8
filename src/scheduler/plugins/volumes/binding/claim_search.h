#pragma once

#include <string>
#include <vector>

#include "scheduler/plugins/volumes/binding/provisioning.h"
#include "scheduler/plugins/volumes/binding/volume_choice.h"
#include "scheduler/plugins/volumes/pod_volumes.h"

namespace proa::scheduler {

// The claims of a pod, by what is to be done about them.
struct SortedClaims {
  std::vector<api::ObjectPtr> bound = {};
  std::vector<api::ObjectPtr> delayed = {};  // to be bound when a node was chosen
  bool has_immediate = false;                // one that should be bound by now, and is not
};
Result<SortedClaims> sort_claims(const StorageSights& sights, const Pod& pod);

// Whether a node can have the volume, which may be one that a driver took over there.
bool can_have(const api::Metadata& node, const client::Cache& csi_nodes, const api::Object& volume);

// What keeps a pod's claims from having volumes on a node. Bits.
namespace problem {
inline constexpr uint8_t kBoundElsewhere = 1U << 0;
inline constexpr uint8_t kNoVolume = 1U << 1;
inline constexpr uint8_t kNoSpace = 1U << 2;
inline constexpr uint8_t kVolumeGone = 1U << 3;
inline constexpr uint8_t kAll = (1U << 4) - 1;
}  // namespace problem

// Which volumes the claims of one pod have, or could have, on nodes: as things are when it is made.
class ClaimSearch {
 public:
  // `sights` outlives it.
  ClaimSearch(const StorageSights& sights, const SortedClaims& claims);

  // Whether the answer may differ between nodes, or is no.
  bool must_ask() const { return must_ask_; }

  struct Outcome {
    uint8_t problems = 0;
    const std::string* error = nullptr;  // why it can't be found out; null: it was
  };
  // `bindings`: gets what is to be written, unless it is null.
  Outcome look(const api::Metadata& node, VolumeBindings* bindings);
  // For people: what would have to change so that the node will do.
  std::string mend(const api::Metadata& node);

 private:
  struct Bound {
    api::ObjectPtr claim = {};
    api::ObjectPtr volume = {};  // null: it is gone
  };
  struct Delayed {
    api::ObjectPtr claim;
    VolumeChoice choice;
    Provisioning provisioning;
  };

  // The first one that the node can't have; null when it can have all.
  const Bound* find_refused(const api::Metadata& node) const;
  // Null when volumes are being made only for this node, or for none yet.
  const Delayed* find_promised_elsewhere(const api::Metadata& node) const;
  Outcome provision(const Delayed& delayed, const api::Metadata& node,
                    VolumeBindings* bindings) const;

  const StorageSights& sights_;
  std::vector<Bound> bound_;
  std::vector<Delayed> promised_;  // a node was chosen before, for which volumes are being made
  std::vector<Delayed> open_;      // the smallest first
  bool must_ask_ = false;
  const Delayed* refused_ = nullptr;          // by look(), which found a problem with it
  std::vector<const Delayed*> unmatched_;     // of the node that is looked at
  std::vector<const api::ObjectPtr*> taken_;  // the same
};

}  // namespace proa::scheduler
