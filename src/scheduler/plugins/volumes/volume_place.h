#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "scheduler/plugins/volumes/in_tree.h"

namespace proa::scheduler {

// The topology of a PersistentVolume, read once per version of it.
struct VolumePlace {
  // A zone or region label.
  struct Zones {
    std::string label = {};
    std::vector<std::string> values = {};

    bool operator==(const Zones&) const = default;
  };

  std::string driver = {};                // of CSI volumes; else empty
  std::string handle = {};                // what the driver calls it
  const InTreePlugin* in_tree = nullptr;  // null: not a migrated in-tree volume
  std::string in_tree_handle = {};        // handle at the driver it migrated to
  // Node affinity after migration; nullopt: all nodes.
  std::optional<kinds::pods::NodeSelector> in_tree_affinity = std::nullopt;
  std::vector<Zones> zones = {};
  // All its nodes have one of these values of this label; empty: unknown.
  std::string pin_label = {};
  std::vector<std::string> pin_values = {};
};

const VolumePlace& volume_place(const api::Object& volume);

// Zone and region labels of nodes and volumes, old and new.
inline constexpr std::string_view kZoneLabels[] = {
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region"};

}  // namespace proa::scheduler
