#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// CertificateSubjectRestriction: rejects requests for client certificates in the group
// system:masters, which bypasses authorization.
Result<std::unique_ptr<AdmissionPlugin>> make_certificate_subject_restriction(
    const AdmissionContext& context);

}  // namespace proa::apiserver
