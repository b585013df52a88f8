#pragma once

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/request/options.h"
#include "apiserver/request/route.h"
#include "base/status.h"

namespace proa::apiserver {

// What a request by HTTP asks for, by its path alone: callers without permission do not learn
// whether there is such a resource. `selecting`: the options of list, watch and deletecollection;
// null for other verbs, and where they can't be read: the list refuses those. Views into `route`,
// `selecting` and `user`.
Attributes attributes_of(std::optional<api::Verb> verb, const Route& route,
                         const ListOptions* selecting, const User& user);
// The same for what is no resource; `verb` is kept by the caller: the method in lower case.
Attributes attributes_of(std::string_view verb, std::string_view path, const User& user);
// Of a resolved request.
Attributes attributes_of(const Request& request, const ListOptions* selecting = nullptr);

// `pods "web" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace
// "default"`, in upstream's words; `reason` is what the authorizers said.
Status forbidden(const Attributes& attributes, std::string_view reason);

}  // namespace proa::apiserver
