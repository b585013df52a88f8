#include "apiserver/access/admission/certificates/certificate_subject_restriction.h"

#include <algorithm>

#include "client/certificates/request_object.h"
#include "client/certificates/signer_rules.h"

namespace proa::apiserver {
namespace certificate_subject_restriction {

class CertificateSubjectRestriction final : public AdmissionPlugin {
 public:
  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kCreate &&
           admission.is_about("certificates.k8s.io", "certificatesigningrequests");
  }

  Result<void> validate(api::View object, const Admission& admission) override {
    if (object["spec"]["signerName"].text() != client::kApiServerClientSigner) return {};
    const auto request = client::request_of(object);
    if (!request) {
      return admission.forbidden(object, "failed to parse CSR: " + request.status().message());
    }
    const auto& organizations = request->identity().organizations;
    if (std::ranges::find(organizations, "system:masters") == organizations.end()) return {};
    return admission.forbidden(object, "use of " + std::string(client::kApiServerClientSigner) +
                                           " signer with system:masters group is not allowed");
  }
};

}  // namespace certificate_subject_restriction

Result<std::unique_ptr<AdmissionPlugin>> make_certificate_subject_restriction(
    const AdmissionContext&) {
  return std::make_unique<certificate_subject_restriction::CertificateSubjectRestriction>();
}

}  // namespace proa::apiserver
