#pragma once

#include "kinds/checks/fields.h"
#include "kinds/core/pods/spec/context.h"

namespace proa::kinds::pods {

// dnsPolicy, dnsConfig, hostAliases, hostname and its relatives, and what goes with hostNetwork.
void validate_network(const PodContext& pod, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
