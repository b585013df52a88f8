#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/authz/modes.h"
#include "base/files.h"
#include "base/result.h"

namespace proa::apiserver {

struct AuthorizationConfiguration {
  std::vector<ConfiguredAuthorizer> authorizers;
  std::string meaning;  // the same for texts that say the same
};

// Reads an AuthorizationConfiguration of apiserver.config.k8s.io (--authorization-config), v1 or an
// earlier version, and the kubeconfigs that its webhooks name. Fails with kInvalid and all errors.
Result<AuthorizationConfiguration> read_authorization_configuration(std::string_view text,
                                                                    Files& files);

}  // namespace proa::apiserver
