#pragma once

#include <optional>
#include <string>

#include "api/schema/schema.h"
#include "apiserver/objects/keys.h"

// Checks of what is in the store, for `proa store check`.

namespace proa::apiserver {

// What is wrong with the object of an entry: it is not JSON, or does not have the kind and
// apiVersion of its key, which no client could read. Nullopt: nothing, or the key is of no
// resource.
std::optional<std::string> stored_problem(const store::Entry& entry, const api::Schema& schema);

// The object with the kind and apiVersion of its key, canonical. Fails if that cannot be done: it
// is not an object of that kind.
Result<StoredText> repaired_text(const store::Entry& entry, const api::Schema& schema);

}  // namespace proa::apiserver
