#pragma once

#include <vector>

#include "cli/command_line/command.h"
#include "controllers/framework/controller_set.h"

namespace proa::cli {

// Which controllers run, and what they are told: flags with upstream's names.
std::vector<Flag> controller_flags();

// What they say; the rest stays as it is. Failures name the flag.
Result<void> read_controller_options(const Settings& settings,
                                     controllers::ControllerOptions& options);

// "*,-job", "none", "job,cronjob": those of `all` that `wanted` names. kInvalid when it names one
// that there is not.
Result<std::vector<controllers::ControllerEntry>> choose_controllers(
    std::span<const controllers::ControllerEntry> all, std::string_view wanted);

}  // namespace proa::cli
