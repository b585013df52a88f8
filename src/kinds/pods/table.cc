#include "kinds/pods/table.h"

#include "kinds/pods/defaults.h"
#include "kinds/pods/pod.h"
#include "kinds/pods/pod_template.h"
#include "kinds/pods/rows.h"

namespace proa::kinds {

namespace pods_table {

void validate(View object, api::FieldErrors& errors) {
  validate_pod_template(object["template"], api::Path("template"), errors);
}

void warn(View object, View old, Warnings& warnings) {
  if (old.exists() && object["template"] == old["template"]) return;
  warn_about_pod_template(object["template"], api::Path("template"), warnings);
}

KindRules pod_template_kind() {
  return {.kind = "v1/PodTemplate",
          .validate = validate,
          .warn = warn,
          .columns = pods::pod_template_columns(),
          .row = pods::pod_template_row};
}

}  // namespace pods_table

std::span<const KindRules> pod_rules() {
  static const KindRules kRules[] = {pods::pod_kind(), pods_table::pod_template_kind()};
  return kRules;
}

std::span<const TypeDefaults> pod_type_defaults() { return pods::type_defaults(); }

}  // namespace proa::kinds
