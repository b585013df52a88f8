#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "api/selector/label_selector.h"

// Members of typed structs that are no plain C++ types.

namespace proa::api {

// A number, or a text such as "25%".
struct IntOrString {
  std::variant<int64_t, std::string> value = int64_t{0};

  bool is_number() const { return value.index() == 0; }
  // Zero, or empty, where it is the other one.
  int64_t number() const { return is_number() ? std::get<0>(value) : 0; }
  std::string_view text() const { return is_number() ? std::string_view() : std::get<1>(value); }

  bool operator==(const IntOrString&) const = default;
};

// The text of a value, for parts that are passed on or read on demand. Lies in the object.
struct RawJson {
  std::string_view text;

  bool empty() const { return text.empty(); }
};

// Whether a field is there at all, whatever it holds.
struct Presence {
  bool is_set = false;

  explicit operator bool() const { return is_set; }
};

// A map of labels as Services and ReplicationControllers select by; matches everything when it is
// empty or absent.
struct MapSelector {
  LabelSelector selector;
};

}  // namespace proa::api
