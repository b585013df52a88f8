#include "apiserver/access/admission/cluster/always_deny.h"

namespace proa::apiserver {
namespace always_deny {

Status refusal(api::View object, const Admission& admission) {
  return admission.forbidden(object, "admission control is denying all modifications");
}

class AlwaysDeny final : public AdmissionPlugin {
 public:
  bool concerns(const Admission&) const override { return true; }
  Result<void> admit(api::Edit object, const Admission& admission) override {
    return refusal(object.view(), admission);
  }
  Result<void> validate(api::View object, const Admission& admission) override {
    return refusal(object, admission);
  }
};

}  // namespace always_deny

Result<std::unique_ptr<AdmissionPlugin>> make_always_deny(const AdmissionContext&) {
  return std::make_unique<always_deny::AlwaysDeny>();
}

}  // namespace proa::apiserver
