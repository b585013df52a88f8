#pragma once

#include <string_view>
#include <vector>

#include "api/apply/managed/conflicts.h"
#include "api/apply/managed/versions.h"
#include "api/object/edit.h"

// The annotation of client-side apply, which kubectl hands over to server-side apply.

namespace proa::api {

// The manager for which that happens.
inline constexpr std::string_view kKubectl = "kubectl";

// The fields that client-side apply set to what they are, according to the annotation of the live
// object; none if there is no valid annotation. kubectl may take these from any manager.
FieldSet allowed_by_last_applied(const ManagedKind& kind, const json::Value& live,
                                 json::Arena& arena);

// Removes conflicts about fields of the set.
void keep_disallowed(std::vector<Conflict>& conflicts, FieldSet allowed, json::Arena& arena);

// Sets the annotation to what is applied, if the object has one: client-side apply may follow.
void update_last_applied(Edit object, const json::Value& config);

}  // namespace proa::api
