#pragma once

#include <memory>

#include "scheduler/framework/plugin.h"
#include "scheduler/plugins/resources/resource_args.h"

namespace proa::scheduler {

// The filter of NodeResourcesFit for pods with these requests. Its reasons are kept in `book`,
// which outlives it.
std::unique_ptr<NodeFilter> make_fit_filter(const FitArgs& args, Resources request,
                                            ReasonBook& book);

}  // namespace proa::scheduler
