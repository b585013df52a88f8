#include "kinds/networking/references.h"

namespace proa::kinds {

void validate_typed_reference(View reference, const api::Path& path, api::FieldErrors& errors) {
  const View group = reference["apiGroup"];
  if (group.exists()) {
    errors.invalid_each(path.field("apiGroup"), group.text(),
                        api::check_dns1123_subdomain(group.text()));
  }
  for (const std::string_view name : {"kind", "name"}) {
    const std::string_view text = reference[name].text();
    if (text.empty()) {
      errors.required(path.field(name));
    } else {
      errors.invalid_each(path.field(name), text, api::check_path_segment(text));
    }
  }
}

}  // namespace proa::kinds
