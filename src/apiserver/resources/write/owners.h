#pragma once

#include "api/object/edit.h"
#include "apiserver/request/request.h"

namespace proa::apiserver {

// Drops owner references that are there twice, and warns of them. Upstream looks before and after
// mutating admission, with different words.
enum class OwnersAt : uint8_t { kRequest, kAfterAdmission };
void drop_duplicate_owners(api::Edit object, OwnersAt when, const Request& request);

}  // namespace proa::apiserver
