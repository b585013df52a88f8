#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/authz/modes.h"
#include "base/files.h"
#include "base/result.h"

namespace proa::apiserver {

// Reads an AuthorizationConfiguration of apiserver.config.k8s.io (--authorization-config), v1 or an
// earlier version, and the kubeconfigs that its webhooks name. Fails with kInvalid and all errors.
Result<std::vector<ConfiguredAuthorizer>> read_authorization_configuration(std::string_view text,
                                                                           Files& files);

}  // namespace proa::apiserver
