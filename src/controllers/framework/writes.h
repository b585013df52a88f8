#pragma once

#include <string_view>

#include "api/object/edit.h"
#include "client/client.h"
#include "client/key.h"
#include "json/value.h"

namespace proa::controllers {

client::Place place_of(const api::Resource& resource, const client::Key& key,
                       std::string_view subresource = {});

// Writes `after`, a changed copy of `before`, as its status; nothing when the status is as it was.
// The object as it is then. Failures are those of an update: kConflict when somebody was faster.
Result<api::ObjectPtr> write_status(client::Client& client, const api::Resource& resource,
                                    const api::ObjectPtr& before, const json::Document& after);

// Puts a number into a status. The API leaves out most zeros: one that is not stated is not
// missing, and one that is stated may stay.
void put_count(api::Edit status, std::string_view name, int64_t count);

// For an object that may be gone meanwhile, which is what was wanted.
Result<void> unless_gone(const Result<void>& outcome);
Result<void> unless_gone(const Result<api::ObjectPtr>& outcome);

// A create that failed because the namespace is on its way out: nothing to try again, or to tell.
bool is_namespace_terminating(const Status& status);

}  // namespace proa::controllers
