#pragma once

#include "kinds/rules.h"

// The kinds of storage.k8s.io, a file for each.

namespace proa::kinds {

KindRules csi_driver_rules();
KindRules csi_node_rules();
KindRules csi_storage_capacity_rules();
KindRules storage_class_rules();
KindRules volume_attachment_rules();
KindRules volume_attributes_class_rules();

}  // namespace proa::kinds
