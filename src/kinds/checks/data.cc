#include "kinds/checks/data.h"

namespace proa::kinds {

size_t size_of_base64(std::string_view text) {
  size_t characters = text.size();
  while (characters > 0 && text[characters - 1] == '=') --characters;
  return characters * 3 / 4;
}

void validate_frozen_fields(api::View object, api::View old,
                            std::span<const std::string_view> fields, api::FieldErrors& errors) {
  constexpr std::string_view kProblem = "field is immutable when `immutable` is set";
  if (!old["immutable"].flag()) return;
  if (!object["immutable"].flag()) errors.forbidden(api::Path("immutable"), kProblem);
  for (const std::string_view field : fields) {
    const api::View value = object[field];
    const api::View before = old[field];
    if (value.empty() && before.empty()) continue;
    if (value != before) errors.forbidden(api::Path(field), kProblem);
  }
}

}  // namespace proa::kinds
