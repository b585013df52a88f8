#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apiserver/front/audit/options.h"
#include "base/files.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// Flags of the audit of requests, with upstream's names and defaults.
std::vector<Flag> audit_flags();

struct AuditSettings {
  // Nullopt: nothing is audited, since there is no policy or nowhere to write to.
  std::optional<apiserver::audit::Options> options;
  std::vector<std::string> warnings;  // what the server should say when it starts
};

// Reads the flags and the files that they name. Errors name the flag.
Result<AuditSettings> read_audit_options(const Settings& settings, Files& files);

}  // namespace proa::cli
