#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cel/values/value.h"

namespace proa::cel {

// An object that an expression makes: JSONPatch{op: "add"}, Object.spec{replicas: 3}. Lies in an
// arena, as its fields do.
class Structure final : public Opaque {
 public:
  struct Field {
    std::string_view name;
    Value value;
  };

  // REQUIRES: a kStruct.
  Structure(const Type& type, std::span<const Field> fields) : Opaque(type), fields_(fields) {}

  std::span<const Field> fields() const { return fields_; }
  bool equals(const Opaque& other) const override;
  std::string print() const override;
  std::optional<Value> member(std::string_view name) const override;

 private:
  const std::span<const Field> fields_;
};

// Null if the value is none.
const Structure* as_structure(const Value& value);

}  // namespace proa::cel
