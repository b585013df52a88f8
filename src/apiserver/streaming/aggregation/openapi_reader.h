#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace proa::apiserver {

// The address of a group version's document in an extension server's index of OpenAPI v3, relative
// to the server: "/openapi/v3/apis/GROUP/VERSION?hash=...". Empty if it has none. Only of that
// group version: no server describes what is another one's.
Result<std::string> read_openapi_index(std::string_view json, std::string_view group,
                                       std::string_view version);

}  // namespace proa::apiserver
