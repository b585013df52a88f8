#include "apiserver/access/admission/cluster/volume_claim_resize.h"

#include "api/quantity.h"

namespace proa::apiserver {
namespace volume_claim_resize {

using api::View;

// Zero if there is no storage request.
api::Quantity size_of(View claim) {
  const auto size =
      api::Quantity::parse(claim["spec"]["resources"]["requests"]["storage"].text("0"));
  return size ? *size : api::Quantity();
}

std::string_view class_of(View claim) {
  const View annotation =
      claim["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
  return annotation ? annotation.text() : claim["spec"]["storageClassName"].text();
}

class VolumeClaimResize final : public AdmissionPlugin {
 public:
  explicit VolumeClaimResize(const AdmissionContext& context)
      : objects_(context.store, context.schema) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kUpdate &&
           admission.is_about("", "persistentvolumeclaims");
  }

  Result<void> validate(View claim, const Admission& admission) override {
    if (size_of(claim) <= size_of(admission.old)) return {};
    if (admission.old["status"]["phase"].text() != "Bound") {
      return admission.forbidden(claim, "Only bound persistent volume claims can be expanded");
    }
    const bool allowed = TRY(class_allows(claim, admission.old));
    if (allowed) return {};
    return admission.forbidden(claim,
                               "only dynamically provisioned pvc can be resized and the "
                               "storageclass that provisions the pvc must support resize");
  }

 private:
  Result<bool> class_allows(View claim, View old) const {
    const std::string_view name = class_of(claim);
    if (name.empty() || name != class_of(old)) return false;
    const api::ObjectPtr found = TRY(objects_.find("storage.k8s.io", "storageclasses", "", name));
    if (found == nullptr) return false;
    const json::Document document = TRY(found->document());
    return View(document.root())["allowVolumeExpansion"].flag();
  }

  const ObjectReader objects_;
};

}  // namespace volume_claim_resize

Result<std::unique_ptr<AdmissionPlugin>> make_volume_claim_resize(const AdmissionContext& context) {
  return std::make_unique<volume_claim_resize::VolumeClaimResize>(context);
}

}  // namespace proa::apiserver
