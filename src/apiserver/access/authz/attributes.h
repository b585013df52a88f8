#pragma once

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/request/route.h"
#include "base/status.h"

namespace proa::apiserver {

// What a list or watch selects, read as the list itself reads it: who could make the two differ
// would see what he may not. Selectors that can't be read select nothing here; the list refuses
// them.
struct Selected {
  api::FieldSelector fields;
  api::LabelSelector labels;
  std::string name = {};  // the only one, if the fields say so: a rule for that name is enough
};

// What a request by HTTP asks for, by its path alone: whether there is such a resource is nobody's
// business who may not ask for it. The texts lie in `route`, `user` and `selected`.
Attributes attributes_of(std::string_view method, const Route& route, const http::Target& target,
                         const User& user, Selected& selected);
// The same for what is no resource; `verb` is kept by the caller: the method in lower case.
Attributes attributes_of(std::string_view verb, std::string_view path, const User& user);
// Of a component in this process, about one object.
Attributes attributes_of(const Request& request);
// The same with the selectors of lists and watches, as text.
Attributes attributes_of(const Request& request, const std::string& field_selector,
                         const std::string& label_selector, Selected& selected);

// `pods "web" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace
// "default"`, in upstream's words; `reason` is what the authorizers said.
Status forbidden(const Attributes& attributes, std::string_view reason);

}  // namespace proa::apiserver
