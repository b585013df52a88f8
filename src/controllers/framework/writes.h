#pragma once

#include <string_view>

#include "api/object/edit.h"
#include "client/bounded_client.h"
#include "client/key.h"
#include "json/value.h"

namespace proa::controllers {

client::Place place_of(const api::Resource& resource, const client::Key& key,
                       std::string_view subresource = {});

// Whether the status of `after` differs from the status of `before`.
Result<bool> status_changed(const api::Object& before, const json::Document& after);
// Writes the status of `after`, an edited document of `before`; nothing if the status is unchanged.
// Returns the resulting object. Errors are those of an update: kConflict if the object has changed.
Result<api::ObjectPtr> write_status(const client::BoundedClient& client,
                                    const api::Resource& resource, const api::ObjectPtr& before,
                                    json::Document after);

// Sets a count in a status. The API omits most zeros: an absent zero is not added, an explicit one
// is kept.
void put_count(api::Edit status, std::string_view name, int64_t count);

// Success if the object is already gone.
Result<void> unless_gone(const Result<void>& outcome);
Result<void> unless_gone(const Result<api::ObjectPtr>& outcome);

// Whether a create failed because the namespace is terminating: it is neither retried nor reported.
bool is_namespace_terminating(const Status& status);

}  // namespace proa::controllers
