#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object/object.h"
#include "api/object/view.h"
#include "kinds/core/placement/node_selector.h"

// Volumes of clouds that Kubernetes once attached itself, and that CSI drivers attach now.

namespace proa::scheduler {

struct InTreePlugin {
  std::string_view source;    // the field of a volume that says where it is
  std::string_view name;      // "kubernetes.io/aws-ebs"
  std::string_view driver;    // "ebs.csi.aws.com"
  std::string_view zone_key;  // the label by which the driver knows zones; empty: it has none
  bool migrates = true;       // false: the scheduler doesn't count them as the driver's
};

// Of a pod's volume, or of a PersistentVolume's spec; null when it is of none.
const InTreePlugin* in_tree_plugin_of(api::View source);
// By what classes call it as their provisioner.
const InTreePlugin* in_tree_plugin_named(std::string_view provisioner);

// What the driver calls the volume; empty when it can't have it. `zones`: "a__b", as the label of a
// PersistentVolume says it.
std::string csi_handle(const InTreePlugin& plugin, api::View source, std::string_view zones = {});

// Which nodes can have the volume, where its zones are said with the driver's label; nullopt when
// all can.
std::optional<kinds::pods::NodeSelector> driver_affinity(const InTreePlugin& plugin,
                                                         const api::Object& volume);

// The parts of "a__b"; none when one of them is empty.
std::vector<std::string> split_zones(std::string_view label);

}  // namespace proa::scheduler
