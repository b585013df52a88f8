#pragma once

#include <string>

#include "apiserver/front/paths/extra_path.h"
#include "base/result.h"
#include "cli/command_line/settings.h"
#include "scheduler/config/scheduler_config.h"

namespace proa::cli {

// /configz: the configurations of the components that run in this process, by API group, as
// upstream's scheduler and controller manager serve them at ports of their own. `scheduler`: the
// one in force. REQUIRES: the settings were checked.
Result<apiserver::ExtraPath> configz_path(const Settings& settings,
                                          const scheduler::SchedulerConfig& scheduler);

}  // namespace proa::cli
