#pragma once

#include "api/validation/field_errors.h"

namespace proa::encryption {

// Whether the names of KMS v1 providers must be unique, too.
enum class Reload : uint8_t { kOff, kOn };

// What is wrong about a decoded EncryptionConfiguration, in upstream's words
// (ValidateEncryptionConfiguration). No message contains a secret.
void validate_configuration(api::View root, Reload reload, api::FieldErrors& errors);

}  // namespace proa::encryption
