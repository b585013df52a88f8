#pragma once

#include <vector>

#include "client/informer/informers.h"
#include "kinds/core/volumes/volume_facts.h"
#include "scheduler/plugins/volumes/binding/assumed_objects.h"

namespace proa::scheduler {

// Claims, volumes, and what surrounds them, for who looks for volumes. For the thread that polls
// the informers.
struct StorageSights {
  // Asks for informers that are not started yet.
  explicit StorageSights(client::Informers& informers);
  // Volumes of the claim's class that nobody has, and those that are reserved for it or its own, as
  // assumed; by name.
  std::vector<api::ObjectPtr> volumes_for(const kinds::ClaimFacts& claim) const;

  AssumedObjects claims;
  AssumedObjects volumes;
  const client::Cache& classes;
  const client::Cache& csi_nodes;
  const client::Cache& drivers;
  const client::Cache& capacities;
};

// What is to be written so that claims have volumes on a node.
struct VolumeBindings {
  struct Pair {
    api::ObjectPtr claim = {};
    api::ObjectPtr volume = {};
  };
  std::vector<Pair> bind = {};
  std::vector<api::ObjectPtr> provision = {};  // claims that volumes are made for

  bool empty() const { return bind.empty() && provision.empty(); }
};

}  // namespace proa::scheduler
