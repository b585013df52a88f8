#pragma once

#include <vector>

#include "apiserver/access/access.h"
#include "base/files.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// Who gets in and what he may do: flags with upstream's names.
std::vector<Flag> access_flags();

// What they say; files that they name are read. Failures name the flag.
Result<apiserver::AccessOptions> read_access_options(const Settings& settings, Files& files);

}  // namespace proa::cli
