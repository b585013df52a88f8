#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/pod_security/policy.h"
#include "base/result.h"

namespace proa::apiserver::pod_security {

// Who and what is left alone.
struct Exemptions {
  std::vector<std::string> users;
  std::vector<std::string> namespaces;
  std::vector<std::string> runtime_classes;

  bool has_user(std::string_view name) const;
  bool has_namespace(std::string_view name) const;
  bool has_runtime_class(api::View pod_spec) const;
};

struct Configuration {
  Policy defaults;  // of namespaces whose labels say nothing
  Exemptions exemptions;
};

// A PodSecurityConfiguration of any version; absent: nothing is enforced, nobody is exempt. On
// failure says all that is wrong.
Result<Configuration> read_configuration(api::View document);

}  // namespace proa::apiserver::pod_security
