#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// The private key, as PEM, that tokens of service accounts are signed with:
// DIRECTORY/service-account .key and, for who wants to check tokens, .pub. Made where it is
// missing, and kept from then on: tokens that were given out end with it. REQUIRES: the directory
// is there.
Result<std::string> ensure_service_account_key(Files& files, const std::string& directory);

}  // namespace proa::cli
