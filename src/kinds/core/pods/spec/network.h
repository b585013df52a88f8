#pragma once

#include "kinds/checks/fields.h"
#include "kinds/core/pods/spec/context.h"

namespace proa::kinds::pods {

// dnsPolicy, dnsConfig, hostAliases, hostname, subdomain, and the rules of hostNetwork.
void validate_network(const PodContext& pod, const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
