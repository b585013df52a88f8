#include "kinds/apiextensions/names.h"

#include "base/strings.h"
#include "kinds/checks/fields.h"

namespace proa::kinds::crd {

namespace names {

void validate_label(View name, const api::Path& path, api::FieldErrors& errors) {
  const api::Problems problems = api::check_dns1035_label(name.text());
  if (!problems.empty()) errors.invalid(path, name.text(), join(problems, ","));
}

void validate_kind(View name, const api::Path& path, api::FieldErrors& errors) {
  const api::Problems problems = api::check_dns1035_label(to_lower(name.text()));
  if (problems.empty()) return;
  errors.invalid(path, name.text(),
                 "may have mixed case, but should otherwise match: " + join(problems, ","));
}

}  // namespace names

void validate_names(View all, const api::Path& path, api::FieldErrors& errors) {
  for (const std::string_view name : {"plural", "singular"}) {
    if (!all[name].text().empty()) names::validate_label(all[name], path.field(name), errors);
  }
  for (const std::string_view name : {"kind", "listKind"}) {
    if (!all[name].text().empty()) names::validate_kind(all[name], path.field(name), errors);
  }
  const api::Path short_names = path.field("shortNames");
  each(all["shortNames"], short_names,
       [&](View name, const api::Path& at) { names::validate_label(name, at, errors); });
  if (!all["kind"].text().empty() && all["kind"] == all["listKind"]) {
    errors.invalid(path.field("listKind"), all["listKind"].text(),
                   "kind and listKind may not be the same");
  }
  const api::Path categories = path.field("categories");
  each(all["categories"], categories,
       [&](View name, const api::Path& at) { names::validate_label(name, at, errors); });
}

}  // namespace proa::kinds::crd
