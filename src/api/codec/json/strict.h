#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model.h"

namespace proa::api {

// What strict decoding finds wrong with a text that decodes: `unknown field "spec.foo"` and
// `duplicate field "spec.bar"`, in the order of the text, each once, at most 100. Inside of what
// reads itself (raw objects, schemas that may be booleans) nothing is found, as in upstream.
// REQUIRES: json::parse accepts the text.
std::vector<std::string> find_strict_problems(std::string_view text, const Type& type);

}  // namespace proa::api
