#pragma once

#include <string>
#include <string_view>

#include "base/files.h"
#include "encryption/config/configuration.h"
#include "encryption/config/validate_configuration.h"

namespace proa::encryption {

// Reads an EncryptionConfiguration, YAML or JSON. Failures are upstream's (loadConfig), and contain
// no secret.
Result<EncryptionConfiguration> parse_configuration(std::string_view text, Reload reload);

struct ConfigurationFile {
  EncryptionConfiguration configuration;
  std::string hash;  // of the text: "sha256:..."
};
Result<ConfigurationFile> read_configuration(Files& files, const std::string& path, Reload reload);
// Without parsing it.
Result<std::string> hash_of_configuration(Files& files, const std::string& path);

}  // namespace proa::encryption
