#include "kinds/checks/int_or_percent.h"

#include <optional>

#include "api/validation/metadata.h"
#include "base/strings.h"

namespace proa::kinds {

namespace int_or_percent {

std::optional<int64_t> percentage(View value) {
  const std::string_view text = value.text();
  if (text.empty() || !api::check_percent(text).empty()) return std::nullopt;
  return parse_int(text.substr(0, text.size() - 1));
}

}  // namespace int_or_percent

void validate_int_or_percent(View value, const api::Path& path, api::FieldErrors& errors) {
  if (!value.is(json::Kind::kString)) {
    api::validate_non_negative(value, path, errors);
    return;
  }
  errors.invalid_each(path, value.text(), api::check_percent(value.text()));
}

void validate_at_most_100_percent(View value, const api::Path& path, api::FieldErrors& errors) {
  const auto percentage = int_or_percent::percentage(value);
  if (percentage && *percentage > 100) errors.invalid(path, value, "must not be greater than 100%");
}

int64_t int_or_percent_number(View value) {
  if (!value.is(json::Kind::kString)) return value.integer();
  if (const auto percentage = int_or_percent::percentage(value)) return *percentage;
  return parse_int(value.text()).value_or(0);
}

}  // namespace proa::kinds
