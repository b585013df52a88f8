#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/pod_security/policy.h"
#include "base/result.h"

namespace proa::apiserver::pod_security {

// Exempt users, namespaces and runtime classes.
struct Exemptions {
  std::vector<std::string> users;
  std::vector<std::string> namespaces;
  std::vector<std::string> runtime_classes;

  bool has_user(std::string_view name) const;
  bool has_namespace(std::string_view name) const;
  bool has_runtime_class(api::View pod_spec) const;
};

struct Configuration {
  Policy defaults;  // for namespaces without labels
  Exemptions exemptions;
};

// Reads a PodSecurityConfiguration of any version; if absent, nothing is enforced and nothing
// exempt. Fails with all errors.
Result<Configuration> read_configuration(api::View document);

}  // namespace proa::apiserver::pod_security
