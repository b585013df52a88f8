#pragma once

#include <optional>
#include <string_view>

#include "apiserver/request/request.h"

namespace proa::apiserver {

// The node that a user speaks for: "n1", of system:node:n1 in the group system:nodes. Empty: one
// that does not say which. Nullopt: no node at all. A view into the user's name.
std::optional<std::string_view> node_of(const User& user);

}  // namespace proa::apiserver
