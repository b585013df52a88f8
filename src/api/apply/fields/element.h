#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// One step of a path to a field (upstream's fieldpath.PathElement): the name of a field or map key,
// the keys or the value of a list item, or the index of one. Borrows names and values from the
// document or arena that it was made from.
class Element {
 public:
  // In upstream's order.
  enum class Kind : uint8_t { kField, kKey, kValue, kIndex };
  struct KeyField {
    std::string_view name;
    const json::Value* value;
  };

  static Element field(std::string_view name);
  // REQUIRES: sorted by name.
  static Element key(std::span<const KeyField> fields);
  static Element value(const json::Value& value);
  static Element index(int64_t position);

  Kind kind() const { return kind_; }
  // REQUIRES: of that kind.
  std::string_view name() const { return {content_.name, size_}; }
  std::span<const KeyField> key_fields() const { return {content_.key, size_}; }
  const json::Value& item() const { return *content_.value; }
  int64_t position() const { return content_.position; }

  // Total, and upstream's: it decides the order in which fieldsV1 are printed.
  std::strong_ordering operator<=>(const Element& other) const;
  bool operator==(const Element& other) const { return (*this <=> other) == 0; }

  // As a key of fieldsV1: `f:spec`, `k:{"name":"a"}`, `v:"a"`, `i:3`.
  void print_to(std::string& out) const;
  // As in messages: `.spec`, `[name="a"]`, `[="a"]`, `[3]`.
  void append_to(std::string& path) const;

 private:
  Kind kind_ = Kind::kField;
  uint32_t size_ = 0;  // of the name, or the number of key fields
  union Content {
    const char* name = nullptr;
    const KeyField* key;
    const json::Value* value;
    int64_t position;
  } content_;
};

// A copy in the arena.
std::span<const Element::KeyField> keep_key(std::span<const Element::KeyField> fields,
                                            json::Arena& arena);

// Parses a key of fieldsV1. Nullopt if its kind is unknown: a later version may know it. Borrows
// the text. Failures are kBadRequest.
Result<std::optional<Element>> parse_element(std::string_view text, json::Arena& arena);

// Upstream's order of values: numbers, strings, booleans, lists, maps, null.
std::strong_ordering compare_values(const json::Value& one, const json::Value& other);

}  // namespace proa::api
