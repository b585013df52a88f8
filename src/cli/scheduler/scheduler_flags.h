#pragma once

#include <vector>

#include "base/files.h"
#include "cli/command_line/command.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::cli {

// `--scheduler-config FILE`, for all commands that decide as the scheduler does.
Flag scheduler_config_flag();
// `--kubeconfig FILE`, for commands that talk to a server that is elsewhere.
Flag kubeconfig_flag();
// Of commands that start a server.
std::vector<Flag> scheduler_flags();

// What the file says; the default where none is named. Failures name the file, and all that is
// wrong with it.
Result<scheduler::SchedulerConfig> read_scheduler_config(const Settings& settings, Files& files);

}  // namespace proa::cli
