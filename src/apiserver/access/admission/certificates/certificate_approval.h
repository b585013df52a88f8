#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// CertificateApproval: requests for certificates are approved and denied by those who may `approve`
// for their signer.
Result<std::unique_ptr<AdmissionPlugin>> make_certificate_approval(const AdmissionContext& context);

}  // namespace proa::apiserver
