#pragma once

#include <string_view>

#include "client/client.h"

namespace proa::controllers::storage {

bool has_finalizer(const api::Object& object, std::string_view finalizer);

// Both write the whole object, which must be as it was seen: kConflict when it is not.
Result<void> add_finalizer(client::Client& client, const api::Resource& resource,
                           const api::Object& object, std::string_view finalizer);
// Success when the object is gone already.
Result<void> remove_finalizer(client::Client& client, const api::Resource& resource,
                              const api::Object& object, std::string_view finalizer);

}  // namespace proa::controllers::storage
