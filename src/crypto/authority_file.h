#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::crypto {

// The text of a file with the certificates of authorities, in PEM format. kInvalid if it contains
// none: what is verified against it would fail, or be trusted for other reasons.
Result<std::string> read_authority_file(Files& files, const std::string& path);

}  // namespace proa::crypto
