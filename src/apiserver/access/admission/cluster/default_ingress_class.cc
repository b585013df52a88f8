#include "apiserver/access/admission/cluster/default_ingress_class.h"

#include "apiserver/access/admission/cluster/default_class.h"

namespace proa::apiserver {
namespace default_ingress_class {

constexpr std::string_view kDefaultAnnotations[] = {"ingressclass.kubernetes.io/is-default-class"};
// The legacy way to name a class.
constexpr std::string_view kOldAnnotation = "kubernetes.io/ingress.class";

class DefaultIngressClass final : public AdmissionPlugin {
 public:
  explicit DefaultIngressClass(const AdmissionContext& context)
      : objects_(context.store, context.schema) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate &&
           admission.is_about("networking.k8s.io", "ingresses");
  }

  Result<void> admit(api::Edit object, const Admission&) override {
    const api::View ingress = object.view();
    if (ingress["spec"]["ingressClassName"] || ingress["metadata"]["annotations"][kOldAnnotation]) {
      return {};
    }
    const std::string name = TRY(
        find_default_class(objects_, "networking.k8s.io", "ingressclasses", kDefaultAnnotations));
    if (!name.empty()) object.object("spec").set("ingressClassName", name);
    return {};
  }

 private:
  const ObjectReader objects_;
};

}  // namespace default_ingress_class

Result<std::unique_ptr<AdmissionPlugin>> make_default_ingress_class(
    const AdmissionContext& context) {
  return std::make_unique<default_ingress_class::DefaultIngressClass>(context);
}

}  // namespace proa::apiserver
