#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "encryption/config/configuration.h"

namespace proa::encryption {

// What is allowed, and what an operator may regret. No text contains a secret.
std::vector<std::string> configuration_warnings(const EncryptionConfiguration& configuration);

// The same, of the mode of the file; nullopt if it has no keys, or only its owner may use it.
std::optional<std::string> mode_warning(const EncryptionConfiguration& configuration, mode_t mode);

}  // namespace proa::encryption
