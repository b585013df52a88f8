#pragma once

#include "cel/values/value.h"

namespace proa::cel {

// Whether two values are equal; values of different types are not, except for numbers. NaN equals
// nothing. Nested no deeper than a document or an expression can be.
bool equal(const Value& a, const Value& b);

// -1, 0 or 1 as an int, or the error of values that have no order.
Value compare(const Value& a, const Value& b);

}  // namespace proa::cel
