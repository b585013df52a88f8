#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/schema/model.h"

namespace proa::api {

// The problems that strict decoding reports for a text that decodes: `unknown field "spec.foo"` and
// `duplicate field "spec.bar"`, in text order, each once, at most 100 and about 64 KiB. Types with
// custom unmarshalling (raw objects, schemas that may be booleans) are not checked inside, as in
// upstream.
// REQUIRES: json::parse accepts the text.
std::vector<std::string> find_strict_problems(std::string_view text, const Type& type);

}  // namespace proa::api
