#include "controllers/pods/share.h"

#include "api/validation/names.h"
#include "base/strings.h"
#include "kinds/checks/int_or_percent.h"

namespace proa::controllers {

Share Share::from(api::View value) {
  return {.number = kinds::int_or_percent_number(value), .percent = value.is(json::Kind::kString)};
}

Share Share::from(const std::optional<api::IntOrString>& value) {
  if (!value) return {};
  if (value->is_number()) return {.number = value->number()};
  std::string_view text = value->text();
  if (api::check_percent(text).empty()) text.remove_suffix(1);
  return {.number = parse_int(text).value_or(0), .percent = true};
}

}  // namespace proa::controllers
