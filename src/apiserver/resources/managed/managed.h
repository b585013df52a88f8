#pragma once

#include "api/apply/managed/field_manager.h"
#include "apiserver/resources/call/context.h"

// metadata.managedFields of what is written: which manager owns which fields.

namespace proa::apiserver {

// The kind of the request's object as the field manager sees it. Borrows from both.
api::ManagedKind managed_kind(const ApiContext& context, const Request& request);

// The manager of a request: its fieldManager, or the name that its client goes by.
api::FieldWriter field_writer(const ApiContext& context, const WriteOptions& options);

// Who owns what changes from `live` to `object`, which is neither stored nor admitted yet; both are
// in the version of the request. `live` is null for a new object.
void track_managers(const ApiContext& context, const Request& request,
                    const api::FieldWriter& writer, const json::Value* live, api::Edit object);

// Gives an object that differs from the stored one in the times of its managers only the stored
// times: there is nothing to write then.
void keep_manager_times(api::Edit object, api::View old);

// Removes the managed fields. False if there are none.
bool drop_managers(api::Edit object);

// The manager of a request without a fieldManager: the first word of its User-Agent.
std::string manager_of_agent(std::string_view user_agent);

// The manager of what the API server itself writes.
inline constexpr std::string_view kServerManager = "kube-apiserver";
// Of what upstream's controllers create, but our server creates together with something else.
inline constexpr std::string_view kControllersManager = "kube-controller-manager";

}  // namespace proa::apiserver
