#pragma once

#include <string>

#include "cel/values/value.h"

namespace proa::cel {

// Go's %g, also for infinities and NaN: "1e+06", "+Inf".
std::string print_double(double number);
// Go's strconv.FormatFloat(number, 'f', -1, 64): no exponent. REQUIRES: finite.
std::string print_plain_double(double number);

// As messages show a value (Go's %v): strings without quotes.
std::string print_plain(const Value& value);

// One text for a value, with its type, for tests: 1u, double(1), "text", [1, 2]. Entries of maps
// are sorted. Values can share parts: what would be longer than a megabyte ends with "...".
std::string print_value(const Value& value);

}  // namespace proa::cel
