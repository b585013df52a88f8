#pragma once

#include <vector>

#include "apiserver/access/access.h"
#include "base/files.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// Flags of authentication, authorization and admission, with upstream's names.
std::vector<Flag> access_flags();

// Reads the flags and the files that they name. Errors name the flag.
Result<apiserver::AccessOptions> read_access_options(const Settings& settings, Files& files);

}  // namespace proa::cli
