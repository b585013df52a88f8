#pragma once

#include <string>

#include "json/value.h"

namespace proa::json {

// JSON text as encoding/json prints it, byte for byte: no white space; '<', '>', '&', U+2028 and
// U+2029 escaped; shortest numbers. Keys keep their order.
std::string print(const Value& value);
void print_to(std::string& out, const Value& value);
// False if the text is longer than `limit`; then `out` has a part of it that is not JSON. For
// values of others: a byte of a string becomes up to six.
bool print_within(std::string& out, const Value& value, size_t limit);
// Indented by that many spaces per level, without a final line end.
std::string print_pretty(const Value& value, size_t indent = 2);

// A double in the notation of encoding/json. REQUIRES: finite.
void print_double_to(std::string& out, double number);
// A JSON string with its quotes.
void print_string_to(std::string& out, std::string_view text);

}  // namespace proa::json
