#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// CertificateSigning: setting the certificate or the conditions of a CertificateSigningRequest
// requires the verb `sign` on its signer.
Result<std::unique_ptr<AdmissionPlugin>> make_certificate_signing(const AdmissionContext& context);

}  // namespace proa::apiserver
