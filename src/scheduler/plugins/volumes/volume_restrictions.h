#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Keeps pods apart that can't share a disk, or a claim that only one pod may use.
Result<std::unique_ptr<Plugin>> make_volume_restrictions(const PluginContext& context,
                                                         api::View args);

}  // namespace proa::scheduler
