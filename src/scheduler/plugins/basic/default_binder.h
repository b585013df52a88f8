#pragma once

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// DefaultBinder: writes the binding of a pod through the API.
Result<std::unique_ptr<Plugin>> make_default_binder(const PluginContext& context, api::View args);

}  // namespace proa::scheduler
