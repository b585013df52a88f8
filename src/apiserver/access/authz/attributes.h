#pragma once

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/request/options.h"
#include "apiserver/request/route.h"
#include "base/status.h"

namespace proa::apiserver {

// Returns the attributes of an HTTP request, from its path alone: unauthorized callers must not
// learn whether the resource exists. `selecting` are the options of list, watch and
// deletecollection; null for other verbs, and if they are malformed, which the list rejects later.
// The result refers to `route`, `selecting` and `user`.
Attributes attributes_of(std::optional<api::Verb> verb, const Route& route,
                         const ListOptions* selecting, const User& user);
// The same for a non-resource path. `verb` is the method in lower case; the caller keeps it.
Attributes attributes_of(std::string_view verb, std::string_view path, const User& user);
// Returns the attributes of a resolved request.
Attributes attributes_of(const Request& request, const ListOptions* selecting = nullptr);

// `pods "web" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace
// "default"`, as upstream; `reason` is the authorizers' reason.
Status forbidden(const Attributes& attributes, std::string_view reason);

}  // namespace proa::apiserver
