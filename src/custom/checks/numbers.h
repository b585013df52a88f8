#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/structure/structure.h"
#include "json/value.h"

// Numbers as Go and go-openapi's swag treat them, oddities included: what a client can see depends
// on them.

namespace proa::custom {

// Go's conversion on amd64: what does not fit is the least integer.
int64_t go_integer(double number);
// swag.IsFloat64AJSONInteger: about an integer, of at most 53 bits.
bool is_json_integer(double number);
// Strict equality, as reflect.DeepEqual: 1 is not 1.0.
bool deep_equal(const json::Value& a, const json::Value& b);

struct NumberProblem {
  std::string message;
  // What the field error shows; a message without it is about no field.
  std::optional<std::string> shown = std::nullopt;
};

// The limits of a type and format that a number or a limit exceeds; empty if it does not. `prefix`:
// what the number is. `path` of the value.
std::string range_problem(const json::Value& number, api::StructureKind kind, api::Format format,
                          std::string_view prefix, std::string_view path);

}  // namespace proa::custom
