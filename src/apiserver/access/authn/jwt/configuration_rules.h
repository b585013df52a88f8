#pragma once

#include <span>
#include <string>

#include "api/object/view.h"
#include "api/validation/field_errors.h"

namespace proa::apiserver {

// What must hold for an AuthenticationConfiguration (apiserver.config.k8s.io/v1), in upstream's
// words. `own_issuers`: of service accounts.
void validate_authentication_configuration(api::View configuration,
                                           std::span<const std::string> own_issuers,
                                           api::FieldErrors& errors);

}  // namespace proa::apiserver
