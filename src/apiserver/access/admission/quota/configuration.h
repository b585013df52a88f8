#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kinds/core/quota/usage/scopes.h"

namespace proa::apiserver::quota {

using kinds::quota::ScopeRule;

// A resource that may only be used if a quota allows it.
struct LimitedResource {
  std::string group;
  std::string resource;                     // "persistentvolumeclaims"
  std::vector<std::string> match_contains;  // substrings of names: ".storageclass.storage.k8s.io/"
  std::vector<ScopeRule> match_scopes;
};

struct Configuration {
  std::vector<LimitedResource> limited;
};

// Reads a ResourceQuotaConfiguration of any version; if absent, nothing is limited.
Result<Configuration> read_configuration(api::View document);

}  // namespace proa::apiserver::quota
