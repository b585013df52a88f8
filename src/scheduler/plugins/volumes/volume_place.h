#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "scheduler/plugins/volumes/in_tree.h"

namespace proa::scheduler {

// Where a PersistentVolume is, as far as nodes are asked whether they can have it. Read once for
// each state of it.
struct VolumePlace {
  // One of the labels that name zones and regions.
  struct Zones {
    std::string label = {};
    std::vector<std::string> values = {};

    bool operator==(const Zones&) const = default;
  };

  std::string driver = {};                // of CSI; else empty
  std::string handle = {};                // what the driver calls it
  const InTreePlugin* in_tree = nullptr;  // null: of none that drivers took the place of
  std::string in_tree_handle = {};        // what the driver that took its place calls it
  // Which nodes can have it where that driver attaches it; nullopt: all.
  std::optional<kinds::pods::NodeSelector> in_tree_affinity = std::nullopt;
  std::vector<Zones> zones = {};
  // All of its nodes have one of these values of this label; empty: that is not known.
  std::string pin_label = {};
  std::vector<std::string> pin_values = {};
};

const VolumePlace& volume_place(const api::Object& volume);

// The labels of nodes and volumes that name zones and regions, old and new.
inline constexpr std::string_view kZoneLabels[] = {
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region"};

}  // namespace proa::scheduler
