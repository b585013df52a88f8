#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace proa::custom {

// A place in an object: steps on the stack, each pointing to its parent, so that it is free until
// somebody asks for its text.
struct Step {
  const Step* parent = nullptr;  // null: the object itself
  std::string_view name;         // of a member
  size_t index = 0;              // of an item
  enum class Kind : unsigned char { kRoot, kProperty, kAdditional, kItem } kind = Kind::kRoot;

  Step() = default;
  static Step property(const Step& parent, std::string_view name) {
    return Step(parent, name, 0, Kind::kProperty);
  }
  // A member that the schema does not name.
  static Step additional(const Step& parent, std::string_view name) {
    return Step(parent, name, 0, Kind::kAdditional);
  }
  static Step item(const Step& parent, size_t index) {
    return Step(parent, {}, index, Kind::kItem);
  }

  // "spec.names[0].x": as unknown fields are reported.
  std::string unknown_path() const;
  // The same, but additional members of the root begin with a dot, as kube-openapi's validation has
  // it.
  std::string checked_path() const;
  // With additional members in brackets: "spec.names[x]", as field.Path has it. "<nil>" is the
  // object itself.
  std::string field_path() const;

 private:
  Step(const Step& above, std::string_view member, size_t item, Kind what)
      : parent(&above), name(member), index(item), kind(what) {}
};

}  // namespace proa::custom
