#include "apiserver/access/admission/cluster/default_storage_class.h"

#include "apiserver/access/admission/cluster/default_class.h"

namespace proa::apiserver {
namespace default_storage_class {

constexpr std::string_view kDefaultAnnotations[] = {
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
};
// The legacy way to name a class.
constexpr std::string_view kOldAnnotation = "volume.beta.kubernetes.io/storage-class";

class DefaultStorageClass final : public AdmissionPlugin {
 public:
  explicit DefaultStorageClass(const AdmissionContext& context)
      : objects_(context.store, context.schema) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate &&
           admission.is_about("", "persistentvolumeclaims");
  }

  Result<void> admit(api::Edit object, const Admission&) override {
    const api::View claim = object.view();
    // An empty name means no class.
    if (claim["spec"]["storageClassName"] || claim["metadata"]["annotations"][kOldAnnotation]) {
      return {};
    }
    const std::string name =
        TRY(find_default_class(objects_, "storage.k8s.io", "storageclasses", kDefaultAnnotations));
    if (!name.empty()) object.object("spec").set("storageClassName", name);
    return {};
  }

 private:
  const ObjectReader objects_;
};

}  // namespace default_storage_class

Result<std::unique_ptr<AdmissionPlugin>> make_default_storage_class(
    const AdmissionContext& context) {
  return std::make_unique<default_storage_class::DefaultStorageClass>(context);
}

}  // namespace proa::apiserver
