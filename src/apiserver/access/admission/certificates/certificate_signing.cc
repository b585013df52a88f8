#include "apiserver/access/admission/certificates/certificate_signing.h"

#include "api/validation/go_text.h"
#include "apiserver/access/admission/certificates/signer_permission.h"

namespace proa::apiserver {
namespace certificate_signing {

using api::View;

// Treats empty and absent as equal.
bool same(View now, View before) {
  if (now.empty() && before.empty() && now.text().empty() && before.text().empty()) return true;
  return now == before;
}

class CertificateSigning final : public AdmissionPlugin {
 public:
  explicit CertificateSigning(Authorizer& authorizer) : authorizer_(authorizer) {}

  bool concerns(const Admission& admission) const override {
    return admission.operation == Operation::kUpdate &&
           admission.is_about("certificates.k8s.io", "certificatesigningrequests", "status");
  }

  Result<void> validate(View request, const Admission& admission) override {
    const View now = request["status"];
    const View before = admission.old["status"];
    if (same(now["certificate"], before["certificate"]) &&
        same(now["conditions"], before["conditions"])) {
      return {};
    }
    // The stored signer: changing it in the same request must not bypass the check.
    const std::string_view signer = admission.old["spec"]["signerName"].text();
    if (may_for_signer(authorizer_, *admission.request.user, "sign", signer)) return {};
    return admission.forbidden(
        request, "user not permitted to sign requests with signerName " + api::quoted(signer));
  }

 private:
  Authorizer& authorizer_;
};

}  // namespace certificate_signing

Result<std::unique_ptr<AdmissionPlugin>> make_certificate_signing(const AdmissionContext& context) {
  return std::make_unique<certificate_signing::CertificateSigning>(context.authorizer);
}

}  // namespace proa::apiserver
