#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace proa::cel {

// As Go's strconv.ParseFloat reads a double: also "inf", "NaN", hexadecimal and underscores between
// digits are not accepted. Nullopt if it is malformed or out of range.
std::optional<double> parse_double(std::string_view text);

// Go's Duration.Seconds().
double seconds_of(int64_t nanoseconds);

}  // namespace proa::cel
