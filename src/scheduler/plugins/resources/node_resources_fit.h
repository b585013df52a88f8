#pragma once

#include <memory>

#include "scheduler/framework/context.h"

namespace proa::scheduler {

// NodeResourcesFit: the pod's requests fit on the node; scores by resulting usage.
Result<std::unique_ptr<Plugin>> make_node_resources_fit(const PluginContext& context,
                                                        api::View args);

}  // namespace proa::scheduler
