#include "cel/values/structure.h"

#include <algorithm>

#include "cel/values/compare.h"
#include "cel/values/print.h"

namespace proa::cel {

bool Structure::equals(const Opaque& other) const {
  if (!other.type().is(TypeKind::kStruct) || other.type().name != type().name) return false;
  const auto& same = static_cast<const Structure&>(other);
  return fields_.size() == same.fields_.size() &&
         std::ranges::all_of(fields_, [&](const Field& field) {
           const std::optional<Value> found = same.member(field.name);
           return found && equal(field.value, *found);
         });
}

std::string Structure::print() const {
  std::string text;
  for (const Field& field : fields_) {
    if (!text.empty()) text += ", ";
    text.append(field.name).append(": ").append(print_value(field.value));
  }
  return text;
}

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
