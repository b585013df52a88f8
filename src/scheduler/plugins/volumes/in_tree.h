#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/object/view.h"
#include "kinds/core/placement/node_selector.h"

// In-tree cloud volumes that have migrated to CSI drivers.

namespace proa::scheduler {

struct InTreePlugin {
  std::string_view source;    // the volume source field
  std::string_view name;      // "kubernetes.io/aws-ebs"
  std::string_view driver;    // "ebs.csi.aws.com"
  std::string_view zone_key;  // topology label of the driver; empty: none
  bool migrates = true;       // false: not counted as volumes of the driver
};

// The plugin of a pod's volume or PersistentVolume spec; null if none.
const InTreePlugin* in_tree_plugin_of(api::View source);
// By provisioner name.
const InTreePlugin* in_tree_plugin_named(std::string_view provisioner);

// The driver's volume handle; empty if not migratable. `zones`: "a__b", as in the label of a
// PersistentVolume.
std::string csi_handle(const InTreePlugin& plugin, api::View source, std::string_view zones = {});

// The node affinity of the volume's zones with the driver's label; nullopt: all nodes.
std::optional<kinds::pods::NodeSelector> driver_affinity(const InTreePlugin& plugin,
                                                         const api::Object& volume);

// Splits "a__b"; empty if a part is empty.
std::vector<std::string> split_zones(std::string_view label);

}  // namespace proa::scheduler
