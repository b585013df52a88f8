#pragma once

#include "cel/values/value.h"

namespace proa::cel {

// Whether two values are equal: a bool, or an error if the left one has no equality with such a
// value. Values of different types are not equal, except for numbers; NaN equals nothing. Nested no
// deeper than a document or an expression can be.
Value equality(const Value& a, const Value& b);
inline bool equal(const Value& a, const Value& b) { return equality(a, b).is_true(); }
// The same without the rule that null can be compared with everything: what lists of schemas ask.
Value element_equality(const Value& a, const Value& b);

// -1, 0 or 1 as an int, or the error of values that have no order.
Value compare(const Value& a, const Value& b);

}  // namespace proa::cel
