#include "apiserver/access/admission/nodes/taint_nodes_by_condition.h"

namespace proa::apiserver {
namespace taint_nodes_by_condition {

constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kNoSchedule = "NoSchedule";

class TaintNodesByCondition final : public AdmissionPlugin {
 public:
  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate && admission.is_about("", "nodes");
  }

  Result<void> admit(api::Edit object, const Admission&) override {
    for (const api::View taint : object["spec"]["taints"].items()) {
      if (taint["key"].text() == kNotReady && taint["effect"].text() == kNoSchedule) return {};
    }
    const api::Edit taint = object.object("spec").array("taints").push_object();
    taint.set("key", kNotReady);
    taint.set("effect", kNoSchedule);
    return {};
  }
};

}  // namespace taint_nodes_by_condition

std::unique_ptr<AdmissionPlugin> make_taint_nodes_by_condition(const AdmissionContext&) {
  return std::make_unique<taint_nodes_by_condition::TaintNodesByCondition>();
}

}  // namespace proa::apiserver
