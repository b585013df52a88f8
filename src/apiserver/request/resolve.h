#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apiserver/request/request.h"
#include "base/result.h"

namespace proa::apiserver {

// A resource named by a path or by an in-process Place, before it is known whether it exists.
struct Address {
  ResourcePtr resource;          // null: unknown
  std::string_view subresource;  // empty: the object itself
  std::string_view name_space;   // empty: all namespaces, or cluster-scoped
  std::string_view name;         // empty: the collection
};

// Returns the request if the resource exists and supports the verb; otherwise fails with kNotFound,
// kMethodNotAllowed, or kBadRequest if a name cannot be one. `verb` is nullopt for unknown methods.
Result<Request> resolve(const Address& address, std::optional<api::Verb> verb, UserPtr user);

}  // namespace proa::apiserver
