#pragma once

#include <span>
#include <string>

#include "api/object/view.h"
#include "api/validation/field_errors.h"

namespace proa::apiserver {

// Validates an AuthenticationConfiguration (apiserver.config.k8s.io/v1), with upstream's messages.
// `own_issuers` are those of service account tokens.
void validate_authentication_configuration(api::View configuration,
                                           std::span<const std::string> own_issuers,
                                           api::FieldErrors& errors);

}  // namespace proa::apiserver
