#include "api/validation/go_text.h"
#include "apiserver/access/admission/pods/placement/tolerations.h"
#include "apiserver/access/admission/pods/pods.h"
#include "kinds/core/resources/resources.h"

namespace proa::apiserver {
namespace runtime_class {

using api::Edit;
using api::View;

constexpr std::string_view kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

bool same_amounts(View a, View b) {
  return kinds::pods::read_amounts(a) == kinds::pods::read_amounts(b);
}

// Why the selectors conflict; empty: they do not.
std::string conflict(View pod_selector, View class_selector) {
  for (const json::Member& member : class_selector.members()) {
    const View of_pod = pod_selector[member.key];
    const View of_class(member.value);
    if (!of_pod.exists() || of_pod.text() == of_class.text()) continue;
    const std::string key(member.key);
    return "conflict: runtimeClass.scheduling.nodeSelector[" + key +
           "] = " + std::string(of_class.text()) + "; pod.spec.nodeSelector[" + key +
           "] = " + std::string(of_pod.text());
  }
  return "";
}

void select_nodes(Edit spec, View selector) {
  if (selector.empty()) return;
  const Edit merged = spec.object("nodeSelector");
  for (const json::Member& member : selector.members()) merged.copy(member.key, member.value);
}

class RuntimeClassPlugin final : public AdmissionPlugin {
 public:
  explicit RuntimeClassPlugin(const AdmissionContext& context)
      : reader_(context.store, context.schema) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate && admission.is_about("", "pods");
  }

  Result<void> admit(Edit pod, const Admission& admission) override {
    const json::Document found = TRY(class_of(pod.view(), admission));
    const View runtime_class(found.root());
    const Edit spec = pod.object("spec");
    if (runtime_class["overhead"].exists()) {
      const View fixed = runtime_class["overhead"]["podFixed"];
      if (!spec["overhead"].empty() && !same_amounts(spec["overhead"], fixed))
        return admission.forbidden(pod.view(), kOtherOverhead);
      spec.copy("overhead", fixed);
    }
    const View scheduling = runtime_class["scheduling"];
    if (!scheduling.exists()) return {};
    const std::string problem = conflict(spec["nodeSelector"], scheduling["nodeSelector"]);
    if (!problem.empty()) return admission.forbidden(pod.view(), problem);
    select_nodes(spec, scheduling["nodeSelector"]);
    merge_tolerations(spec, scheduling["tolerations"]);
    return {};
  }

  Result<void> validate(View pod, const Admission& admission) override {
    const json::Document found = TRY(class_of(pod, admission));
    const View wanted = View(found.root())["overhead"];
    const View overhead = pod["spec"]["overhead"];
    if (wanted.exists()) {
      if (!same_amounts(overhead, wanted["podFixed"]))
        return admission.forbidden(pod, kOtherOverhead);
    } else if (overhead.exists()) {
      return admission.forbidden(
          pod,
          "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    }
    return {};
  }

 private:
  // Null if the pod has no runtime class.
  Result<json::Document> class_of(View pod, const Admission& admission) const {
    const View name = pod["spec"]["runtimeClassName"];
    if (!name.exists()) return json::Document();
    const api::ObjectPtr object =
        TRY(reader_.find("node.k8s.io", "runtimeclasses", "", name.text()));
    if (object == nullptr) {
      return admission.forbidden(
          pod, "pod rejected: RuntimeClass " + api::quoted(name.text()) + " not found");
    }
    return object->document();
  }

  const ObjectReader reader_;
};

}  // namespace runtime_class

MadePlugin make_runtime_class(const AdmissionContext& context) {
  return std::make_unique<runtime_class::RuntimeClassPlugin>(context);
}

}  // namespace proa::apiserver
