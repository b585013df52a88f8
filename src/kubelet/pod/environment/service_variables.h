#pragma once

#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "kubelet/pod/environment/variable.h"

namespace proa::kubelet {

// Where pods of a namespace find services: NAME_SERVICE_HOST and the like, and what Docker's links
// set. default/kubernetes always, unless the namespace has a service of that name; others of the
// namespace only with `links` (enableServiceLinks). Headless ones have no address to tell.
Environment service_variables(const std::vector<api::ObjectPtr>& services,
                              std::string_view name_space, bool links);

}  // namespace proa::kubelet
