#pragma once

#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "kubelet/pod/environment/variable.h"

namespace proa::kubelet {

// Environment variables for services: NAME_SERVICE_HOST and the like, and those of Docker links.
// default/kubernetes is always included, unless the namespace has a service of that name; others of
// the namespace only with `links` (enableServiceLinks). Headless services are skipped.
Environment service_variables(const std::vector<api::ObjectPtr>& services,
                              std::string_view name_space, bool links);

}  // namespace proa::kubelet
