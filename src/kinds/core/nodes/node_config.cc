#include "kinds/core/nodes/node_config.h"

#include "kinds/checks/fields.h"

namespace proa::kinds {

namespace node_config {

using api::FieldErrors;
using api::Path;

enum class Where : uint8_t { kSpec, kStatus };

void validate_text(View object, std::string_view name, api::NameCheck check, const Path& path,
                   FieldErrors& errors) {
  if (!require_text(object, name, path, errors)) return;
  check_text(object[name], check, path.field(name), errors);
}

void validate_config_map(View source, Where where, const Path& path, FieldErrors& errors) {
  for (const std::string_view name : {"uid", "resourceVersion"}) {
    const bool is_set = !source[name].text().empty();
    if (where == Where::kStatus && !is_set) errors.required(path.field(name));
    if (where == Where::kSpec && is_set) {
      errors.forbidden(path.field(name), std::string(name) + " must not be set in spec");
    }
  }
  validate_text(source, "namespace", api::check_dns1123_label, path, errors);
  validate_text(source, "name", api::check_dns1123_subdomain, path, errors);
  validate_text(source, "kubeletConfigKey", api::check_config_map_key, path, errors);
}

void validate_source(View source, Where where, const Path& path, FieldErrors& errors) {
  if (!source) return;
  if (!source["configMap"]) {
    return errors.invalid(path, source, "exactly one reference subfield must be non-nil");
  }
  validate_config_map(source["configMap"], where, path.field("configMap"), errors);
}

}  // namespace node_config

void validate_node_config(View node, api::FieldErrors& errors) {
  using node_config::Where;
  node_config::validate_source(node["spec"]["configSource"], Where::kSpec,
                               api::Path("spec.configSource"), errors);
  const api::Path path("status.config");
  for (const std::string_view name : {"assigned", "active", "lastKnownGood"}) {
    node_config::validate_source(node["status"]["config"][name], Where::kStatus, path.field(name),
                                 errors);
  }
}

}  // namespace proa::kinds
