#pragma once

#include <span>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// Every plugin that there is.
std::span<const PluginEntry> plugin_table();

}  // namespace proa::scheduler
