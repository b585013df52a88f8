#include "cel/values/structure.h"

#include <algorithm>

#include "cel/values/compare.h"
#include "cel/values/print.h"

namespace proa::cel {

bool Structure::equals(const Opaque& other) const {
  return equal(Value::opaque(this), Value::opaque(&other));
}

std::string Structure::print() const { return print_value(Value::opaque(this)); }

std::optional<Value> Structure::member(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  if (found == fields_.end()) return std::nullopt;
  return found->value;
}

const Structure* as_structure(const Value& value) {
  if (!value.is(ValueKind::kOpaque) || !value.as_opaque()->type().is(TypeKind::kStruct)) {
    return nullptr;
  }
  return static_cast<const Structure*>(value.as_opaque());
}

}  // namespace proa::cel
