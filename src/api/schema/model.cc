#include "api/schema/model.h"

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace proa::api {
namespace model {

constexpr Type make_scalar(std::string_view name, Form form) {
  Type type;
  type.name = name;
  type.form = form;
  type.has_proto = form != Form::kAny;
  return type;
}

constexpr std::array kScalars{
    make_scalar("string", Form::kString), make_scalar("bool", Form::kBool),
    make_scalar("int32", Form::kInt32),   make_scalar("int64", Form::kInt64),
    make_scalar("double", Form::kDouble), make_scalar("bytes", Form::kBytes),
    make_scalar("any", Form::kAny),
};

}  // namespace model

const Type* scalar_type(std::string_view word) {
  const auto found = std::find_if(model::kScalars.begin(), model::kScalars.end(),
                                  [&](const Type& type) { return type.name == word; });
  return found == model::kScalars.end() ? nullptr : &*found;
}

const Wire::Entry* Wire::find(uint32_t number) const {
  // Most messages count without gaps.
  if (number - 1 < entries.size() && entries[number - 1].number == number)
    return &entries[number - 1];
  const auto found =
      std::lower_bound(entries.begin(), entries.end(), number,
                       [](const Entry& entry, uint32_t wanted) { return entry.number < wanted; });
  return found == entries.end() || found->number != number ? nullptr : &*found;
}

namespace type_fields {

// How many fields an object may skip before a binary search is faster.
constexpr size_t kLikelySkipped = 8;

}  // namespace type_fields

const Field* Type::find(std::string_view field_name, size_t guess) const {
  const size_t end = std::min(guess + type_fields::kLikelySkipped, fields.size());
  for (size_t i = guess; i < end; ++i) {
    if (same_text(fields[i].name, field_name)) return &fields[i];
  }
  const auto found = std::lower_bound(
      by_name.begin(), by_name.end(), field_name,
      [&](uint16_t index, std::string_view wanted) { return fields[index].name < wanted; });
  if (found == by_name.end() || fields[*found].name != field_name) return nullptr;
  return &fields[*found];
}

}  // namespace proa::api
