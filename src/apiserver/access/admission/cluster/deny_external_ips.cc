#include "apiserver/access/admission/cluster/deny_external_ips.h"

#include <algorithm>
#include <set>

namespace proa::apiserver {
namespace deny_external_ips {

using api::View;

class DenyExternalIps final : public AdmissionPlugin {
 public:
  bool concerns(const Admission& admission) const override {
    return (admission.operation == Operation::kCreate ||
            admission.operation == Operation::kUpdate) &&
           admission.is_about("", "services");
  }

  Result<void> validate(View service, const Admission& admission) override {
    std::set<std::string_view> before;
    for (const View address : admission.old["spec"]["externalIPs"].items())
      before.insert(address.text());
    const auto now = service["spec"]["externalIPs"].items();
    const bool had_all =
        std::ranges::all_of(now, [&](View address) { return before.contains(address.text()); });
    if (had_all) return {};
    return admission.forbidden(service, "Use of external IPs is denied by admission control");
  }
};

}  // namespace deny_external_ips

Result<std::unique_ptr<AdmissionPlugin>> make_deny_external_ips(const AdmissionContext&) {
  return std::make_unique<deny_external_ips::DenyExternalIps>();
}

}  // namespace proa::apiserver
