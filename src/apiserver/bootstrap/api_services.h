#pragma once

#include <vector>

#include "apiserver/bootstrap/batch.h"

namespace proa::apiserver {

// The APIServices of the group versions that the server has built in. They are made at the start
// only, as upstream: one that a user deletes or takes over ("automanaged" removed) stays so.
void add_api_services(const api::Schema& schema, std::vector<Wanted>& objects);

}  // namespace proa::apiserver
