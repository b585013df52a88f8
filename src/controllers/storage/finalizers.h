#pragma once

#include <string_view>

#include "client/bounded_client.h"

namespace proa::controllers::storage {

bool has_finalizer(const api::Object& object, std::string_view finalizer);

// Both update the whole object: kConflict if it has changed.
Result<void> add_finalizer(const client::BoundedClient& client, const api::Resource& resource,
                           const api::Object& object, std::string_view finalizer);
// Success if the object is already gone.
Result<void> remove_finalizer(const client::BoundedClient& client, const api::Resource& resource,
                              const api::Object& object, std::string_view finalizer);

}  // namespace proa::controllers::storage
