#pragma once

#include <span>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// All plugins, with their order and weights in the default profile.
std::span<const PluginEntry> plugin_table();

}  // namespace proa::scheduler
