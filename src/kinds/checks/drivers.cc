#include "kinds/checks/drivers.h"

#include "base/strings.h"

namespace proa::kinds {

namespace drivers {

constexpr size_t kMaxNameBytes = 63;
constexpr size_t kMaxParameters = 512;
constexpr size_t kMaxParameterBytes = size_t{256} << 10;

}  // namespace drivers

void validate_driver_name(View name, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view text = name.text();
  if (text.empty()) return errors.required(path);
  if (text.size() > drivers::kMaxNameBytes) errors.too_long(path, drivers::kMaxNameBytes);
  errors.invalid_each(path, text, api::check_dns1123_subdomain(to_lower(text)));
}

void validate_provisioner(View name, const api::Path& path, api::FieldErrors& errors) {
  if (name.text().empty()) return errors.required(path);
  const std::string text = to_lower(name.text());
  errors.invalid_each(path, text, api::check_qualified_name(text));
}

void validate_parameters(View parameters, const api::Path& path, api::FieldErrors& errors) {
  if (parameters.size() > drivers::kMaxParameters) {
    return errors.too_long(path, drivers::kMaxParameters);
  }
  size_t bytes = 0;
  for (const json::Member& member : parameters.members()) {
    if (member.key.empty()) errors.invalid(path, "", "field can not be empty.");
    bytes += member.key.size() + View(member.value).text().size();
  }
  if (bytes > drivers::kMaxParameterBytes) errors.too_long(path, drivers::kMaxParameterBytes);
}

}  // namespace proa::kinds
