#pragma once

#include <string>
#include <string_view>

namespace proa::json {

// What Go's encoding/json says about text that it cannot parse: `invalid character 'x' looking for
// beginning of value`, "unexpected end of JSON input". Empty if it accepts the text. For messages
// only: parse() decides.
std::string go_syntax_error(std::string_view text);

}  // namespace proa::json
