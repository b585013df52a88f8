#pragma once

#include <vector>

#include "apiserver/access/admission/pod_security/policy.h"
#include "apiserver/access/admission/pod_security/violation.h"

namespace proa::apiserver::pod_security {

// Returns all violations of a standard in reporting order: baseline checks first, each group by
// check name.
std::vector<Violation> find_violations(const PodShape& pod, const Standard& standard);

}  // namespace proa::apiserver::pod_security
