#pragma once

#include "api/codec/json/field_path.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// A value of one of the forms that have a JSON of their own, as upstream would print it after
// reading it: quantities canonical, times in UTC, base64 without line ends. REQUIRES: a form of
// which that is true (bytes, quantity, int or string, times, duration), and a value that is not
// null.
//
// Failures are kBadRequest, in the words of Go, which say where only if the kind is wrong.
Result<json::Value> normalise_form(json::Arena& arena, const Type& type, json::Value value,
                                   const FieldPath* path);

// "json: cannot unmarshal ... into Go ... of type ...": what Go's decoder says.
// `path` is null at the top.
Status cannot_unmarshal(const json::Value& found, std::string_view type, const FieldPath* path);

// The Go type of a single value: "int32", "[]uint8", "v1.PodSpec".
std::string go_type(const Type& type);
std::string go_type(const Field& field);

}  // namespace proa::api
