#include "kinds/resource/device_names.h"

#include <algorithm>

#include "base/strings.h"
#include "kinds/checks/drivers.h"

namespace proa::kinds::devices {

namespace device_names {

constexpr size_t kMaxPoolBytes = 253;
constexpr size_t kMaxIdentifierBytes = 32;

void validate_identifier(std::string_view id, const api::Path& path, api::FieldErrors& errors) {
  if (id.size() > kMaxIdentifierBytes) errors.too_long(path, kMaxIdentifierBytes);
  errors.invalid_each(path, id, api::check_c_identifier(id));
}

// 8-4-4-4-12 digits.
bool is_uuid(std::string_view text) {
  constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return std::equal(text.begin(), text.end(), kShape.begin(), kShape.end(), [](char c, char want) {
    return want == '-' ? c == '-' : std::isxdigit(static_cast<unsigned char>(c)) != 0;
  });
}

}  // namespace device_names

void validate_label_name(View name, const api::Path& path, api::FieldErrors& errors) {
  errors.invalid_each(path, name.text(), api::check_dns1123_label(name.text()));
}

void validate_pool_name(View name, const api::Path& path, api::FieldErrors& errors) {
  if (name.text().empty()) return errors.required(path);
  if (name.text().size() > device_names::kMaxPoolBytes) {
    errors.too_long(path, device_names::kMaxPoolBytes);
  }
  for (const std::string_view part : split(name.text(), '/')) {
    errors.invalid_each(path, part, api::check_dns1123_subdomain(part));
  }
}

void validate_qualified_name(std::string_view name, const api::Path& path,
                             api::FieldErrors& errors) {
  const auto parts = split(name, '/');
  if (parts.size() == 1) return device_names::validate_identifier(name, path, errors);
  // Upstream does not check further slashes.
  if (parts.size() > 2) return;
  if (parts[0].empty()) {
    errors.invalid(path, "", "the domain must not be empty");
  } else {
    const json::Value domain = json::Value::borrowed(parts[0]);
    validate_driver_name(domain, path, errors);
  }
  if (parts[1].empty()) {
    errors.invalid(path, "", "the name must not be empty");
  } else {
    device_names::validate_identifier(parts[1], path, errors);
  }
}

void validate_fully_qualified_name(View name, const api::Path& path, api::FieldErrors& errors) {
  validate_qualified_name(name.text(), path, errors);
  if (name.text().find('/') == std::string_view::npos) {
    errors.invalid(path, name.text(),
                   "a fully qualified name must be a domain and a name separated by a slash");
  }
}

void validate_share_id(View id, const api::Path& path, api::FieldErrors& errors) {
  if (!id) return;
  if (!device_names::is_uuid(id.text()) || id.text() != to_lower(id.text())) {
    errors.invalid(path, id.text(),
                   "uid must be in RFC 4122 normalized form, "
                   "`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters");
  }
}

}  // namespace proa::kinds::devices
