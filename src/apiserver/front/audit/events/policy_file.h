#pragma once

#include <string_view>
#include <vector>

#include "apiserver/front/audit/events/policy.h"
#include "base/result.h"

namespace proa::apiserver::audit {

// Reads a Policy of audit.k8s.io/v1, in YAML or JSON. Fails with kInvalid and upstream's messages.
// Unknown and duplicate fields are tolerated, as upstream's: they are added to `ignored`, to be
// logged.
Result<Policy> read_policy(std::string_view text, std::vector<std::string>& ignored);

}  // namespace proa::apiserver::audit
