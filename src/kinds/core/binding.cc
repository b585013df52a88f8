#include "kinds/core/binding.h"

namespace proa::kinds {

namespace binding {

void validate(View object, api::FieldErrors& errors) {
  const View target = object["target"];
  const std::string_view kind = target["kind"].text();
  if (!kind.empty() && kind != "Node") {
    errors.not_supported(api::Path("target.kind"), kind, {"Node", "<empty>"});
  }
  if (target["name"].text().empty()) errors.required(api::Path("target.name"));
}

}  // namespace binding

KindRules binding_rules() {
  return {.kind = "v1/Binding", .name = api::check_path_segment, .validate = binding::validate};
}

}  // namespace proa::kinds
