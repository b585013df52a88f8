#pragma once

#include <span>

#include "api/object/edit.h"

namespace proa::apiserver {

// Whether `wider` tolerates everything that `toleration` does.
bool covers_toleration(api::View wider, api::View toleration);

// Whether each toleration is covered by an allowed one.
bool are_tolerations_allowed(api::View tolerations, api::View allowed);

// Adds tolerations to the pod's own and drops those that others cover. Of equal ones the first
// stays.
void merge_tolerations(api::Edit pod_spec, api::View more);

}  // namespace proa::apiserver
