#pragma once

#include <string>

#include "client/client.h"

namespace proa::client {

// A DeleteOptions document; empty if no option is set.
std::string delete_options_json(const RemoveChoices& choices);

}  // namespace proa::client
