#include "apiserver/access/admission/cluster/storage_in_use_protection.h"

#include <algorithm>

namespace proa::apiserver {
namespace storage_in_use_protection {

struct Protection {
  std::string_view group;
  std::string_view resource;
  std::string_view finalizer;
};

constexpr Protection kProtections[] = {
    {"", "persistentvolumeclaims", "kubernetes.io/pvc-protection"},
    {"", "persistentvolumes", "kubernetes.io/pv-protection"},
    {"storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection"},
};

// Null if the resource is not protected.
const Protection* protection_of(const Admission& admission) {
  for (const Protection& one : kProtections) {
    if (admission.is_about(one.group, one.resource)) return &one;
  }
  return nullptr;
}

class StorageInUseProtection final : public AdmissionPlugin {
 public:
  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate && protection_of(admission) != nullptr;
  }

  Result<void> admit(api::Edit object, const Admission& admission) override {
    const std::string_view finalizer = protection_of(admission)->finalizer;
    const api::Edit finalizers = object.object("metadata").array("finalizers");
    const auto items = finalizers.view().items();
    const bool there =
        std::ranges::any_of(items, [&](api::View item) { return item.text() == finalizer; });
    if (!there) finalizers.push(json::Value::borrowed(finalizer));
    return {};
  }
};

}  // namespace storage_in_use_protection

Result<std::unique_ptr<AdmissionPlugin>> make_storage_in_use_protection(const AdmissionContext&) {
  return std::make_unique<storage_in_use_protection::StorageInUseProtection>();
}

}  // namespace proa::apiserver
