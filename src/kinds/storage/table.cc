#include "kinds/storage/table.h"

#include "kinds/storage/devices/devices.h"
#include "kinds/storage/storage.h"

namespace proa::kinds {

std::span<const KindRules> storage_rules() {
  static const KindRules kRules[] = {
      csi_driver_rules(),     csi_node_rules(),          csi_storage_capacity_rules(),
      storage_class_rules(),  volume_attachment_rules(), volume_attributes_class_rules(),
      device_class_rules(),   resource_claim_rules(),    resource_claim_template_rules(),
      resource_slice_rules(),
  };
  return kRules;
}

std::span<const TypeDefaults> storage_type_defaults() {
  static constexpr TypeDefaults kDefaults[] = {
      {"resource.k8s.io/v1/ExactDeviceRequest", default_device_request},
      {"resource.k8s.io/v1/DeviceSubRequest", default_device_request},
  };
  return kDefaults;
}

}  // namespace proa::kinds
