#pragma once

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// Whoever has administrative access to a device also reaches what others do with it: claims may ask
// for it only in namespaces whose label says so. Always enabled, as upstream's validation is.
class DeviceAdminAccess final : public AdmissionPlugin {
 public:
  // REQUIRES: both outlive it.
  DeviceAdminAccess(const store::Store& store, const api::Schema& schema)
      : objects_(store, schema) {}

  bool concerns(const Admission& admission) const override;
  Result<void> validate(api::View object, const Admission& admission) override;

 private:
  const ObjectReader objects_;
};

}  // namespace proa::apiserver
