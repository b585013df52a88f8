#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// VolumeRestrictions: pods that cannot share a disk, or a ReadWriteOncePod claim.
Result<std::unique_ptr<Plugin>> make_volume_restrictions(const PluginContext& context,
                                                         api::View args);

}  // namespace proa::scheduler
