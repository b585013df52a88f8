#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/wire/message.h"

// Headers with extra user attributes: X-Remote-Extra-KEY of front proxies, Impersonate-Extra-KEY.

namespace proa::apiserver {

using UserExtra = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Adds the values of all headers that begin with `prefix`, each key once. Keys are percent-decoded;
// invalid encodings are kept verbatim. REQUIRES: `prefix` is in lower case.
void read_extra(const http::Headers& headers, std::string_view prefix, UserExtra& extra);

}  // namespace proa::apiserver
