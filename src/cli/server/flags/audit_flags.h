#pragma once

#include <optional>
#include <vector>

#include "apiserver/front/audit/options.h"
#include "base/files.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// Flags of the audit of requests, with upstream's names and defaults.
std::vector<Flag> audit_flags();

// Reads the flags and the files that they name. Nullopt: nothing is audited, since there is no
// policy or nowhere to write to. Errors name the flag.
Result<std::optional<apiserver::audit::Options>> read_audit_options(const Settings& settings,
                                                                    Files& files);

}  // namespace proa::cli
