#pragma once

#include <string>

#include "api/object/view.h"

// What a LimitRange forbids. All that is wrong as one text, in upstream's words; empty when nothing
// is.

namespace proa::apiserver {

// `limits`: the spec.limits of a LimitRange.
std::string limit_problems_of_pod(api::View limits, api::View pod_spec);
std::string limit_problems_of_claim(api::View limits, api::View claim_spec);

}  // namespace proa::apiserver
