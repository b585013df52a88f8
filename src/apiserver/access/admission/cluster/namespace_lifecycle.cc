#include "apiserver/access/admission/cluster/namespace_lifecycle.h"

namespace proa::apiserver {
namespace namespace_lifecycle {

using api::View;

bool is_namespace(const api::Resource& resource) {
  return resource.name == "namespaces" && resource.group.empty();
}

bool is_immortal(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public";
}

// Allowed in any namespace: rejections would reveal which namespaces exist.
bool is_access_review(const api::Resource& resource) {
  return resource.name == "localsubjectaccessreviews" && resource.group == "authorization.k8s.io";
}

class NamespaceLifecycle final : public AdmissionPlugin {
 public:
  explicit NamespaceLifecycle(const AdmissionContext& context)
      : schema_(context.schema), objects_(context.store, context.schema) {}

  bool concerns(const Admission& admission) const override {
    const api::Resource& resource = *admission.request.resource;
    switch (admission.operation) {
      case Operation::kDelete:
        return is_namespace(resource);
      case Operation::kCreate:
      case Operation::kUpdate:
        return resource.namespaced && !is_access_review(resource);
      case Operation::kConnect:
        break;
    }
    return false;
  }

  Result<void> admit(api::Edit object, const Admission& admission) override {
    const std::string& name = admission.request.name_space;
    const api::ObjectPtr found = TRY(objects_.find("", "namespaces", "", name));
    if (found == nullptr) return missing(name);
    // Set together with phase Terminating, and cheaper to read.
    if (admission.operation != Operation::kCreate || !found->metadata().being_deleted) return {};
    const Status refusal =
        admission.forbidden(object.view(), "unable to create new content in namespace " + name +
                                               " because it is being terminated");
    StatusDetails details = refusal.details();
    details.causes.push_back({"NamespaceTerminating", "namespace " + name + " is being terminated",
                              "metadata.namespace"});
    return refusal.with_details(std::move(details));
  }

  Result<void> validate(View, const Admission& admission) override {
    if (admission.operation != Operation::kDelete) return {};
    std::string_view name = admission.request.name;
    if (name.empty()) name = admission.old["metadata"]["name"].text();
    if (!is_immortal(name)) return {};
    return admission.forbidden(admission.old, "this namespace may not be deleted");
  }

 private:
  Status missing(const std::string& name) const {
    Request request;
    request.resource = schema_.find_resource("", "v1", "namespaces");
    request.name = name;
    return request.not_found();
  }

  const api::Schema& schema_;
  const ObjectReader objects_;
};

}  // namespace namespace_lifecycle

Result<std::unique_ptr<AdmissionPlugin>> make_namespace_lifecycle(const AdmissionContext& context) {
  return std::make_unique<namespace_lifecycle::NamespaceLifecycle>(context);
}

}  // namespace proa::apiserver
