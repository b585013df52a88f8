#include "apiserver/access/admission/pods/pods.h"

namespace proa::apiserver {
namespace pod_topology_labels {

using api::Edit;

constexpr std::string_view kLabels[] = {"topology.kubernetes.io/zone",
                                        "topology.kubernetes.io/region"};

// The labels of a Binding are copied to the bound pod.
class PodTopologyLabels final : public AdmissionPlugin {
 public:
  explicit PodTopologyLabels(const AdmissionContext& context)
      : reader_(context.store, context.schema) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate &&
           (admission.is_about("", "pods") || admission.is_about("", "pods", "binding"));
  }

  Result<void> admit(Edit object, const Admission& admission) override {
    if (admission.is_about("", "pods"))
      return copy_labels(object, object["spec"]["nodeName"].text());
    if (object["target"]["kind"].text() != "Node") return {};
    return copy_labels(object, object["target"]["name"].text());
  }

 private:
  // A missing node is not an error.
  Result<void> copy_labels(Edit object, std::string_view node_name) const {
    if (node_name.empty()) return {};
    const api::ObjectPtr node = TRY(reader_.find("", "nodes", "", node_name));
    if (node == nullptr) return {};
    for (const std::string_view key : kLabels) {
      const std::string_view* value = node->metadata().label(key);
      if (value != nullptr) object.object("metadata").object("labels").set(key, *value);
    }
    return {};
  }

  const ObjectReader reader_;
};

}  // namespace pod_topology_labels

MadePlugin make_pod_topology_labels(const AdmissionContext& context) {
  return std::make_unique<pod_topology_labels::PodTopologyLabels>(context);
}

}  // namespace proa::apiserver
