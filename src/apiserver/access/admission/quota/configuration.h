#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kinds/core/quota/usage/scopes.h"

namespace proa::apiserver::quota {

using kinds::quota::ScopeRule;

// What may only be used where a quota allows it.
struct LimitedResource {
  std::string group;
  std::string resource;                     // "persistentvolumeclaims"
  std::vector<std::string> match_contains;  // parts of names: ".storageclass.storage.k8s.io/"
  std::vector<ScopeRule> match_scopes;
};

struct Configuration {
  std::vector<LimitedResource> limited;
};

// A ResourceQuotaConfiguration of any version; absent: nothing is limited.
Result<Configuration> read_configuration(api::View document);

}  // namespace proa::apiserver::quota
