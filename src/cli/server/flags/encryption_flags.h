#pragma once

#include <memory>
#include <vector>

#include "apiserver/server.h"
#include "cli/command_line/command.h"
#include "encryption/encryption_at_rest.h"

namespace proa::cli {

// --encryption-provider-config, which other commands have, too.
Flag encryption_config_flag();
std::vector<Flag> encryption_flags();

// Also reads the file, so that its errors are found before anything is made.
Result<encryption::EncryptionOptions> read_encryption_options(const Settings& settings,
                                                              Files& files);

// Waits for KMS plugins, a minute at most, since the store cannot be read without them.
Result<std::unique_ptr<encryption::EncryptionAtRest>> open_encryption(const Settings& settings,
                                                                      Files& files, Clock& clock,
                                                                      Random& random,
                                                                      Terminal& terminal);

// Adds its health check and its metrics. `encryption` outlives the last request.
void add_encryption(apiserver::ApiServer& api, const encryption::EncryptionAtRest& encryption);

}  // namespace proa::cli
