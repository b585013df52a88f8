#pragma once

#include "api/codec/json/field_path.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// A value of a form with its own JSON notation, as upstream would print it after reading it:
// quantities canonical, times in UTC, base64 without line ends. REQUIRES: such a form (bytes,
// quantity, int or string, times, duration), and a value that is not null. Failures are
// kBadRequest, in Go's words, which contain the path only if the kind is wrong.
Result<json::Value> normalise_form(json::Arena& arena, const Type& type, json::Value value,
                                   const FieldPath* path);

// Takes -0, which json reads as a double, for the integer that Go takes it for.
void settle_minus_zero(json::Value& value);

// Go's name of a JSON value: "string", "array", "number".
std::string_view go_kind(const json::Value& value);
// "json: cannot unmarshal ... into Go ... of type ...": Go's message. `path` is null at the top.
Status cannot_unmarshal(const json::Value& found, std::string_view type, const FieldPath* path);

// The Go type of a single value: "int32", "[]uint8", "v1.PodSpec".
std::string go_type(const Type& type);
std::string go_type(const Field& field);

}  // namespace proa::api
