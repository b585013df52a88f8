#include "kinds/checks/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/strings.h"

namespace proa::kinds {

bool require_text(View object, std::string_view name, const Path& path, FieldErrors& errors) {
  if (!object[name].text().empty()) return true;
  errors.required(path.field(name));
  return false;
}

void check_text(View text, api::NameCheck check, const Path& path, FieldErrors& errors) {
  for (const std::string& problem : check(text.text())) errors.invalid(path, text.text(), problem);
}

void require_one_of(View text, std::initializer_list<std::string_view> supported, const Path& path,
                    FieldErrors& errors) {
  if (text.text().empty()) {
    errors.required(path);
  } else {
    check_one_of(text, supported, path, errors);
  }
}

void check_one_of(View text, std::initializer_list<std::string_view> supported, const Path& path,
                  FieldErrors& errors) {
  if (text.exists() && !contains(supported, text.text()))
    errors.not_supported(path, text.text(), supported);
}

void check_not_negative(View number, const Path& path, FieldErrors& errors) {
  if (number.integer() < 0)
    errors.invalid(path, number.integer(), "must be greater than or equal to 0");
}

void check_range(View number, int64_t least, int64_t most, const Path& path, FieldErrors& errors) {
  const int64_t value = number.integer();
  if (value >= least && value <= most) return;
  errors.invalid(path, value, fmt::format("must be between {} and {}, inclusive", least, most));
}

void check_id(View number, const Path& path, FieldErrors& errors) {
  check_range(number, 0, std::numeric_limits<int32_t>::max(), path, errors);
}

void check_mode(View mode, const Path& path, FieldErrors& errors) {
  if (mode.integer() < 0 || mode.integer() > 0777) {
    errors.invalid(path, mode.integer(),
                   "must be a number between 0 and 0777 (octal), both inclusive");
  }
}

bool has_backsteps(std::string_view file) {
  const auto parts = split(file, '/');
  return std::find(parts.begin(), parts.end(), "..") != parts.end();
}

void check_no_backsteps(View file, const Path& path, FieldErrors& errors) {
  if (has_backsteps(file.text())) errors.invalid(path, file.text(), "must not contain '..'");
}

void check_descending(View file, const Path& path, FieldErrors& errors) {
  if (file.text().starts_with('/')) errors.invalid(path, file.text(), "must be a relative path");
  check_no_backsteps(file, path, errors);
}

void check_not_reserved(View file, const Path& path, FieldErrors& errors) {
  check_descending(file, path, errors);
  if (file.text().starts_with("..") && !file.text().starts_with("../"))
    errors.invalid(path, file.text(), "must not start with '..'");
}

void check_port(View port, const Path& path, FieldErrors& errors) {
  if (port.is(json::Kind::kString)) {
    check_text(port, api::check_port_name, path, errors);
    return;
  }
  for (const std::string& problem : api::check_port_number(port.integer()))
    errors.invalid(path, port.integer(), problem);
}

bool contains(std::initializer_list<std::string_view> list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace proa::kinds
