#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

// Values as upstream's messages have them.

namespace proa::custom {

// Go's %v.
std::string go_number(double number);
// A value of a field error: texts quoted, numbers as Go prints them, the rest as JSON with sorted
// keys.
std::string shown(const json::Value& value);
// JSON with sorted keys, as encoding/json prints maps.
std::string sorted_json(const json::Value& value);
// Go's %v: "map[a:1 b:[x y]]".
std::string go_value(const json::Value& value);
// Go's %T of what JSON is read into: "map[string]interface {}".
std::string_view go_type_name(const json::Value& value);

}  // namespace proa::custom
