#pragma once

#include "scheduler/config/scheduler_config.h"

namespace proa::scheduler {

// The plugins of a profile that says nothing, in their order, with upstream's weights.
PluginSets default_plugins();

// What a profile says on top of the defaults: plugins that are enabled again keep their place and
// get another weight, others come behind. One that is named twice stays twice, to be found later.
PluginSets merge_plugins(const PluginSets& defaults, const PluginSets& said);

}  // namespace proa::scheduler
