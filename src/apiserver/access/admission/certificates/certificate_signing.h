#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// CertificateSigning: certificates and conditions of requests are written by those who may `sign`
// for their signer.
Result<std::unique_ptr<AdmissionPlugin>> make_certificate_signing(const AdmissionContext& context);

}  // namespace proa::apiserver
