#pragma once

#include <optional>
#include <vector>

#include "apiserver/front/tracing/tracer.h"
#include "base/files.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// --profiling and --tracing-config-file, as upstream's.
std::vector<Flag> debug_flags();

// Reads the TracingConfiguration. Nullopt: requests are not traced. Errors name the flag.
Result<std::optional<apiserver::tracing::Options>> read_tracing(const Settings& settings,
                                                                Files& files);

}  // namespace proa::cli
