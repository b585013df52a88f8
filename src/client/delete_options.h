#pragma once

#include <string>

#include "client/client.h"

namespace proa::client {

// A DeleteOptions document; empty when nothing is chosen.
std::string delete_options_json(const RemoveChoices& choices);

}  // namespace proa::client
