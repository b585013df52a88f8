#pragma once

#include <array>

#include "custom/columns/json_path.h"

namespace proa::custom {

// For json_path and json_path_parser.
struct JsonPath::Node {
  enum class Kind : unsigned char {
    kConstant,  // one, or one per value
    kField,
    kArray,
    kFilter,
    kWildcard,
    kRecursive,
    kUnion,
    kAction,  // at the top of a template: what stands between braces
    kRange,   // of its action's results, each one for the actions up to the next kEnd
    kEnd,
    kUnknown,  // another identifier: fails when it is evaluated
  };
  struct Bound {
    int64_t value = 0;
    bool known = false;
    bool derived = false;
  };

  Kind kind = Kind::kField;
  std::string name;  // of a field; the operator of a filter
  const json::Value* constant = nullptr;
  bool once = false;              // a text: one, however many values there are
  std::array<Bound, 3> bounds{};  // of an array: from, to, step
  // Of a union; left and right of a filter; the steps of an action.
  std::vector<std::vector<JsonPath::Node>> lists;
};

// A template of actions and texts: "{.a}-{.b}". Fails in upstream's words. Constants are kept in
// `document`.
Result<std::vector<JsonPath::Node>> parse_json_path(std::string_view text,
                                                    json::Document& document);

}  // namespace proa::custom
