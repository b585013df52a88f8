#pragma once

#include <string>

#include "api/object/view.h"

// Checks a LimitRange. Returns all violations as one text, as upstream; empty if there are none.

namespace proa::apiserver {

// `limits` is the spec.limits of a LimitRange.
std::string limit_problems_of_pod(api::View limits, api::View pod_spec);
std::string limit_problems_of_claim(api::View limits, api::View claim_spec);

}  // namespace proa::apiserver
