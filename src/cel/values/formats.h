#pragma once

#include <string_view>

#include "cel/values/value.h"

namespace proa::cel {

// Formats of strings in schemas, as upstream reads them (kube-openapi's strfmt): a value, or an
// error in its words.
Value read_date(Arena& arena, std::string_view text);
Value read_date_time(Arena& arena, std::string_view text);
Value read_duration(Arena& arena, std::string_view text);
// Base64 with the alphabet of URLs.
Value read_bytes(Arena& arena, std::string_view text);

// What the format library accepts: not the same texts.
bool is_date(std::string_view text);
bool is_date_time(std::string_view text);
bool is_duration(std::string_view text);

}  // namespace proa::cel
