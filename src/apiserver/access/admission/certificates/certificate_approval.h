#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// CertificateApproval: approving or denying a CertificateSigningRequest requires the verb `approve`
// on its signer.
Result<std::unique_ptr<AdmissionPlugin>> make_certificate_approval(const AdmissionContext& context);

}  // namespace proa::apiserver
