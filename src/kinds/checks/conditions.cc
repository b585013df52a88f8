#include "kinds/checks/conditions.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace proa::kinds {

namespace conditions {

constexpr size_t kMaxReasonBytes = 1024;
constexpr size_t kMaxMessageBytes = 32 * 1024;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_reason(std::string_view text) {
  return is_letter(text.front()) && is_word(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_word(c) || c == ',' || c == ':'; });
}

void validate_reason(View reason, const api::Path& path, api::FieldErrors& errors) {
  if (reason.text().empty()) {
    errors.required(path);
    return;
  }
  if (!is_reason(reason.text())) {
    errors.invalid(path, reason,
                   "a condition reason must start with alphabetic character, optionally followed "
                   "by a string of alphanumeric characters or '_,:', and must end with an "
                   "alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  "
                   "or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is "
                   "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
  }
  if (reason.text().size() > kMaxReasonBytes) errors.too_long(path, kMaxReasonBytes);
}

void validate_condition(View condition, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = condition["type"].text();
  errors.invalid_each(path.field("type"), type, api::check_qualified_name(type));
  const std::string_view status = condition["status"].text();
  if (status != "True" && status != "False" && status != "Unknown")
    errors.not_supported(path.field("status"), status, {"False", "True", "Unknown"});
  if (condition["observedGeneration"].integer() < 0) {
    errors.invalid(path.field("observedGeneration"), condition["observedGeneration"],
                   "must be greater than or equal to zero");
  }
  if (!condition["lastTransitionTime"].exists()) errors.required(path.field("lastTransitionTime"));
  validate_reason(condition["reason"], path.field("reason"), errors);
  if (condition["message"].text().size() > kMaxMessageBytes)
    errors.too_long(path.field("message"), kMaxMessageBytes);
}

}  // namespace conditions

void validate_conditions(View conditions, const api::Path& path, api::FieldErrors& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const api::Path item_path = path.index(i);
    const View condition = conditions.item(i);
    if (!seen.insert(condition["type"].text()).second)
      errors.duplicate(item_path.field("type"), condition["type"]);
    conditions::validate_condition(condition, item_path, errors);
  }
}

}  // namespace proa::kinds
