#include "apiserver/access/admission/cluster/always_admit.h"

namespace proa::apiserver {
namespace always_admit {

class AlwaysAdmit final : public AdmissionPlugin {
 public:
  bool concerns(const Admission&) const override { return false; }
};

}  // namespace always_admit

Result<std::unique_ptr<AdmissionPlugin>> make_always_admit(const AdmissionContext&) {
  return std::make_unique<always_admit::AlwaysAdmit>();
}

}  // namespace proa::apiserver
