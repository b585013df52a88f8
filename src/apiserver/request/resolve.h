#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/request/request.h"
#include "base/result.h"

namespace proa::apiserver {

// What a caller names, before it is known whether the API has it: by a path, or by the Place of a
// component in this process.
struct Address {
  const api::Resource* resource = nullptr;  // null: there is no such resource
  std::string_view subresource;             // empty: the object itself
  std::string_view name_space;              // empty: all of them, or a cluster's object
  std::string_view name;                    // empty: the collection
};

// The request for it, if the API has that resource and it has that verb there: kNotFound or
// kMethodNotAllowed otherwise. `verb` is nullopt for a method that is no verb.
Result<Request> resolve(const Address& address, std::optional<api::Verb> verb, User user);

}  // namespace proa::apiserver
