#pragma once

#include <vector>

#include "client/informer/informers.h"
#include "kinds/core/volumes/volume_facts.h"
#include "scheduler/plugins/volumes/binding/assumed_objects.h"

namespace proa::scheduler {

// Claims and volumes with assumed changes, and other storage caches. For the thread that polls the
// informers.
struct StorageState {
  // Registers informers that are not started yet.
  explicit StorageState(client::Informers& informers);
  // Available volumes of the claim's class, and those reserved for or bound to it, including
  // assumed changes; by name.
  std::vector<api::ObjectPtr> volumes_for(const kinds::ClaimFacts& claim) const;

  AssumedObjects claims;
  AssumedObjects volumes;
  const client::Cache& classes;
  const client::Cache& csi_nodes;
  const client::Cache& drivers;
  const client::Cache& capacities;
};

// The writes that bind claims to volumes on a node.
struct VolumeBindings {
  struct Pair {
    api::ObjectPtr claim = {};
    api::ObjectPtr volume = {};
  };
  std::vector<Pair> bind = {};
  std::vector<api::ObjectPtr> provision = {};  // claims to be provisioned

  bool empty() const { return bind.empty() && provision.empty(); }
};

}  // namespace proa::scheduler
