#pragma once

#include <span>

#include "api/object/edit.h"

namespace proa::apiserver {

// Whether whatever `toleration` tolerates is tolerated by `wider`, too.
bool covers_toleration(api::View wider, api::View toleration);

// Whether each of a list is covered by one of those that are allowed.
bool are_tolerations_allowed(api::View tolerations, api::View allowed);

// Adds those of a list to the pod's own, without what one of the others covers. Of equal ones the
// first stays.
void merge_tolerations(api::Edit pod_spec, api::View more);

}  // namespace proa::apiserver
