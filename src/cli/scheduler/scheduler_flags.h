#pragma once

#include <vector>

#include "base/files.h"
#include "cli/command_line/command.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::cli {

// `--scheduler-config FILE`, for all commands that run scheduler plugins.
Flag scheduler_config_flag();
// `--kubeconfig FILE`, for commands that use a remote server.
Flag kubeconfig_flag();
// Flags of commands that start a server.
std::vector<Flag> scheduler_flags();

// Reads the file, or the default configuration if none is given. Errors name the file and list
// everything invalid in it.
Result<scheduler::SchedulerConfig> read_scheduler_config(const Settings& settings, Files& files);

}  // namespace proa::cli
