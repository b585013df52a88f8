#pragma once

#include <vector>

#include "apiserver/access/admission/pod_security/policy.h"
#include "apiserver/access/admission/pod_security/violation.h"

namespace proa::apiserver::pod_security {

// Everything about a pod that a standard forbids, in the order in which it is told: by the names of
// the checks, those of the baseline first.
std::vector<Violation> find_violations(const PodShape& pod, const Standard& standard);

}  // namespace proa::apiserver::pod_security
