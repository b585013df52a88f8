#include "apiserver/access/admission/certificates/certificate_approval.h"

#include "api/validation/go_text.h"
#include "apiserver/access/admission/certificates/signer_permission.h"

namespace proa::apiserver {
namespace certificate_approval {

class CertificateApproval final : public AdmissionPlugin {
 public:
  explicit CertificateApproval(Authorizer& authorizer) : authorizer_(authorizer) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kUpdate &&
           admission.is_about("certificates.k8s.io", "certificatesigningrequests", "approval");
  }

  Result<void> validate(api::View request, const Admission& admission) override {
    // The stored signer: changing it in the same request must not bypass the check.
    const std::string_view signer = admission.old["spec"]["signerName"].text();
    if (may_for_signer(authorizer_, *admission.request.user, "approve", signer)) return {};
    return admission.forbidden(
        request, "user not permitted to approve requests with signerName " + api::quoted(signer));
  }

 private:
  Authorizer& authorizer_;
};

}  // namespace certificate_approval

Result<std::unique_ptr<AdmissionPlugin>> make_certificate_approval(
    const AdmissionContext& context) {
  return std::make_unique<certificate_approval::CertificateApproval>(context.authorizer);
}

}  // namespace proa::apiserver
