#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/wire/message.h"

// Headers that say who a user is: X-Remote-Extra-KEY of front proxies, Impersonate-Extra-KEY.

namespace proa::apiserver {

using UserExtra = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Adds what the headers under `prefix` say, each key once. Keys are percent-decoded; one that can't
// be is taken as it is. REQUIRES: `prefix` is in lower case.
void read_extra(const http::Headers& headers, std::string_view prefix, UserExtra& extra);

}  // namespace proa::apiserver
