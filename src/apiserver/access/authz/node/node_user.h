#pragma once

#include <optional>
#include <string_view>

#include "apiserver/request/request.h"

namespace proa::apiserver {

// Returns the node of a node user: "n1" for system:node:n1 in the group system:nodes. Empty if the
// name names no node; nullopt if the user is not a node. A view into the user's name.
std::optional<std::string_view> node_of(const User& user);

}  // namespace proa::apiserver
