#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// The private key (PEM) that signs service account tokens: DIRECTORY/service-account.key, with the
// public key in .pub. Created if missing and kept from then on, since a new key would invalidate
// issued tokens. REQUIRES: the directory exists.
Result<std::string> ensure_service_account_key(Files& files, const std::string& directory);

}  // namespace proa::cli
