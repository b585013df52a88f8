#pragma once

#include <memory>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// CertificateSubjectRestriction: nobody asks for a client certificate of the group system:masters,
// which may do everything and is asked of no authorizer.
Result<std::unique_ptr<AdmissionPlugin>> make_certificate_subject_restriction(
    const AdmissionContext& context);

}  // namespace proa::apiserver
