#pragma once

#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

// The plugins of the default profile, with order and weights of plugin_table().
PluginSets default_plugins();

// Merges a profile's plugins with the defaults: a plugin that is enabled again keeps its position
// and gets the new weight; others are appended. Duplicates are kept, for validation to find.
PluginSets merge_plugins(const PluginSets& defaults, const PluginSets& said);

}  // namespace proa::scheduler
