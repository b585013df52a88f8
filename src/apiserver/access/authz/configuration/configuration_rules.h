#pragma once

#include <span>
#include <string_view>

#include "api/object/view.h"
#include "api/validation/field_errors.h"
#include "base/files.h"

namespace proa::apiserver {

// Validates an AuthorizationConfiguration (apiserver.config.k8s.io/v1) with its defaults, with
// upstream's messages. `types`: of authorizers that there are. Looks whether kubeconfigs exist.
void validate_authorization_configuration(api::View configuration,
                                          std::span<const std::string_view> types, Files& files,
                                          api::FieldErrors& errors);

}  // namespace proa::apiserver
