#pragma once

#include <span>
#include <string_view>

#include "json/value.h"

namespace proa::api {

// A read-only view of a JSON value that may be absent. A missing or null value, or one of another
// kind, reads as absent, zero or empty: decoded documents were checked against their type before,
// so code that follows a path need not check every step.
class View {
 public:
  View() = default;
  View(const json::Value& value) : value_(&value) {}  // NOLINT: made to convert
  View(const json::Value* value) : value_(value) {}   // NOLINT

  bool exists() const { return value_ != nullptr && !value_->is_null(); }
  explicit operator bool() const { return exists(); }
  bool is(json::Kind kind) const { return value_ != nullptr && value_->is(kind); }
  // Null if absent.
  const json::Value* value() const { return value_; }

  // A member of an object, an item of an array.
  View operator[](std::string_view name) const {
    return value_ == nullptr ? View() : View(value_->find(name));
  }
  View operator[](const char* name) const { return (*this)[std::string_view(name)]; }
  View item(size_t index) const { return index < size() ? View(items()[index]) : View(); }
  // "spec.template.metadata": member by member.
  View at(std::string_view path) const;

  std::string_view text(std::string_view fallback = {}) const {
    return is(json::Kind::kString) ? value_->as_string() : fallback;
  }
  int64_t integer(int64_t fallback = 0) const {
    return is(json::Kind::kInt) ? value_->as_int() : fallback;
  }
  bool flag(bool fallback = false) const {
    return is(json::Kind::kBool) ? value_->as_bool() : fallback;
  }
  // `for (View container : spec["containers"].items())`
  std::span<const json::Value> items() const {
    return value_ == nullptr ? std::span<const json::Value>() : value_->items();
  }
  std::span<const json::Member> members() const {
    return value_ == nullptr ? std::span<const json::Member>() : value_->members();
  }
  size_t size() const { return value_ == nullptr ? 0 : value_->size(); }
  bool empty() const { return size() == 0; }

  // Deep equality, ignoring the order of keys; absent equals null.
  bool operator==(const View& other) const;

 private:
  const json::Value* value_ = nullptr;
};

}  // namespace proa::api
