#pragma once

#include <span>

#include "json/value.h"

namespace proa::custom {

// Whether a value is one of an enum, as upstream compares them: a value is converted to the type of
// the choice first, so 97 is "a", and 1.5 is 1. Null is never one.
bool is_choice(const json::Value& value, std::span<const json::Value> choices);

}  // namespace proa::custom
