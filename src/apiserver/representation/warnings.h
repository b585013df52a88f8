#pragma once

#include <span>
#include <string>
#include <vector>

#include "http/wire/message.h"

namespace proa::apiserver {

// Adds `299 - "text"` headers, as upstream's recorder: each text once, none with control
// characters. If all together would be too long, each is cut, and the last ones are dropped.
void add_warnings(http::Headers& headers, std::span<const std::string> warnings);

}  // namespace proa::apiserver
