#include "kinds/apiextensions/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "kinds/apiextensions/openapi_schema.h"
#include "kinds/apiextensions/structural_schema.h"
#include "kinds/checks/fields.h"

namespace proa::kinds::crd {

namespace versions {

constexpr size_t kMaxSelectableFields = 8;
constexpr size_t kMaxWarningBytes = 256;

void validate_schema(View schema, bool has_status, const api::Path& path,
                     api::FieldErrors& errors) {
  const View props = schema["openAPIV3Schema"];
  if (!props) return;
  const api::Path props_path = path.field("openAPIV3Schema");
  validate_root_schema(props, has_status, props_path, errors);
  validate_structural(props, props_path, errors);
  validate_openapi_schema(props, props_path, errors);
}

void validate_scale_path(View path_text, std::string_view below, const api::Path& path,
                         api::FieldErrors& errors) {
  const std::string_view text = path_text.text();
  if (text.empty()) {
    errors.required(path);
  } else if (text[0] != '.') {
    errors.invalid(path, text, "must be a simple json path starting with .");
  } else if (!text.starts_with(fmt::format(".{}.", below))) {
    errors.invalid(path, text, fmt::format("should be a json path under .{}", below));
  }
}

void validate_subresources(View subresources, const api::Path& path, api::FieldErrors& errors) {
  const View scale = subresources["scale"];
  if (!scale) return;
  const api::Path scale_path = path.field("scale");
  validate_scale_path(scale["specReplicasPath"], "spec", scale_path.field("specReplicasPath"),
                      errors);
  validate_scale_path(scale["statusReplicasPath"], "status", scale_path.field("statusReplicasPath"),
                      errors);
  const std::string_view selector = scale["labelSelectorPath"].text();
  const api::Path selector_path = scale_path.field("labelSelectorPath");
  if (selector.empty()) return;
  if (selector[0] != '.') {
    errors.invalid(selector_path, selector, "must be a simple json path starting with .");
  } else if (!selector.starts_with(".spec.") && !selector.starts_with(".status.")) {
    errors.invalid(selector_path, selector, "should be a json path under either .spec or .status");
  }
}

void validate_column(View column, const api::Path& path, api::FieldErrors& errors) {
  constexpr std::string_view kTypes = "must be one of boolean,date,integer,number,string";
  constexpr std::string_view kFormats =
      "must be one of byte,date,date-time,double,float,int32,int64,password";
  require_text(column, "name", path, errors);
  const std::string_view type = column["type"].text();
  if (type.empty()) {
    errors.required(path.field("type"), kTypes);
  } else if (!contains({"boolean", "date", "integer", "number", "string"}, type)) {
    errors.invalid(path.field("type"), type, kTypes);
  }
  const std::string_view format = column["format"].text();
  if (!format.empty() &&
      !contains({"byte", "date", "date-time", "double", "float", "int32", "int64", "password"},
                format)) {
    errors.invalid(path.field("format"), format, kFormats);
  }
  const std::string_view json_path = column["jsonPath"].text();
  // As upstream spells it.
  if (json_path.empty()) {
    errors.required(path.field("JSONPath"));
  } else if (json_path[0] != '.') {
    errors.invalid(path.field("JSONPath"), json_path, "must be a simple json path starting with .");
  }
}

void validate_columns(View columns, const api::Path& path, api::FieldErrors& errors) {
  each(columns, path,
       [&](View column, const api::Path& at) { validate_column(column, at, errors); });
}

// Follows ".spec.color" through the schema; absent if there is no such field.
View schema_at(View schema, std::string_view json_path) {
  for (const std::string_view step : split(json_path.substr(1), '.')) {
    schema = schema["properties"][step];
  }
  return schema;
}

void validate_selectable(View version, const api::Path& path, api::FieldErrors& errors) {
  std::set<std::string_view> seen;
  const View schema = version["schema"]["openAPIV3Schema"];
  each(version["selectableFields"], path, [&](View field, const api::Path& at) {
    const std::string_view text = field["jsonPath"].text();
    const api::Path text_path = at.field("jsonPath");
    if (text.empty()) return errors.required(text_path);
    const View found = text[0] == '.' ? schema_at(schema, text) : View();
    if (!found) {
      return errors.invalid(text_path, text, "is an invalid path: does not refer to a valid field");
    }
    if (text == ".metadata" || text.starts_with(".metadata.")) {
      errors.invalid(text_path, text, "must not point to fields in metadata");
    }
    if (!contains({"boolean", "integer", "string"}, found["type"].text())) {
      errors.invalid(text_path, text,
                     "must point to a field of type string, boolean or integer. Enum string fields "
                     "and strings with formats are allowed.");
    }
    if (!seen.insert(text).second) errors.duplicate(text_path, text);
  });
  if (seen.size() > kMaxSelectableFields) {
    errors.too_many(path, seen.size(), kMaxSelectableFields);
  }
}

void validate_deprecation(View version, const api::Path& path, api::FieldErrors& errors) {
  const View warning = version["deprecationWarning"];
  if (!warning) return;
  if (!version["deprecated"].flag()) {
    return errors.invalid(path, warning, "can only be set for deprecated versions");
  }
  if (warning.text().size() > kMaxWarningBytes) {
    errors.invalid(path, warning, "must be <= 256 characters long");
  }
  if (warning.text().empty()) errors.invalid(path, warning, "must not be an empty string");
  for (size_t i = 0; i < warning.text().size();) {
    const Utf8 character = decode_utf8(warning.text().substr(i));
    if (!api::is_printable(character.code)) {
      return errors.invalid(path, warning,
                            fmt::format("must only contain printable UTF-8 characters; "
                                        "non-printable character found at index {}",
                                        i));
    }
    i += character.size;
  }
}

// The parts of versions, and where upstream reports them when they are shared.
struct Part {
  std::string_view name;
  std::string_view shared_name;
};
constexpr Part kParts[] = {
    {"schema", "validation"},
    {"subresources", "subresources"},
    {"additionalPrinterColumns", "additionalPrinterColumns"},
    {"selectableFields", "selectableFields"},
};

// For each part, whether all versions have the same. Computed once: it compares all versions.
using Shared = std::array<bool, std::size(kParts)>;

Shared shared_parts(View all) {
  const auto items = all.items();
  Shared shared{};
  for (size_t i = 0; i < shared.size(); ++i) {
    const std::string_view name = kParts[i].name;
    shared[i] = std::all_of(items.begin(), items.end(), [&](const json::Value& version) {
      return View(version)[name] == all.item(0)[name];
    });
  }
  return shared;
}

void validate_part(View version, std::string_view name, bool has_status, const api::Path& path,
                   api::FieldErrors& errors) {
  if (name == "schema") return validate_schema(version["schema"], has_status, path, errors);
  if (name == "subresources") return validate_subresources(version[name], path, errors);
  if (name == "additionalPrinterColumns") return validate_columns(version[name], path, errors);
  validate_selectable(version, path, errors);
}

bool has_status(View version) { return version["subresources"]["status"].exists(); }

void validate_version(View version, const Shared& shared, const api::Path& path,
                      api::FieldErrors& errors) {
  const std::string_view name = version["name"].text();
  const api::Problems problems = api::check_dns1035_label(name);
  if (!problems.empty()) errors.invalid(path.field("name"), name, join(problems, ","));
  validate_deprecation(version, path.field("deprecationWarning"), errors);
  for (size_t i = 0; i < shared.size(); ++i) {
    if (shared[i]) continue;
    const std::string_view part = kParts[i].name;
    validate_part(version, part, has_status(version), path.field(part), errors);
  }
}

}  // namespace versions

void validate_versions(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View all = spec["versions"];
  const api::Path versions_path = path.field("versions");
  each(all, versions_path, [&](View version, const api::Path& at) {
    if (!version["schema"]["openAPIV3Schema"]) {
      errors.required(at.field("schema.openAPIV3Schema"));
    }
  });
  const versions::Shared shared = versions::shared_parts(all);
  size_t storage_versions = 0;
  std::set<std::string_view> names;
  each(all, versions_path, [&](View version, const api::Path& at) {
    names.insert(version["name"].text());
    storage_versions += version["storage"].flag() ? 1 : 0;
    versions::validate_version(version, shared, at, errors);
  });
  if (names.size() != all.size()) {
    errors.invalid(versions_path, all, "must contain unique version names");
  }
  if (storage_versions != 1) {
    errors.invalid(versions_path, all, "must have exactly one version marked as storage version");
  }
  const auto items = all.items();
  const bool any_status = std::any_of(items.begin(), items.end(), versions::has_status);
  for (size_t i = 0; i < shared.size(); ++i) {
    if (!shared[i]) continue;
    const versions::Part& part = versions::kParts[i];
    versions::validate_part(all.item(0), part.name, any_status, path.field(part.shared_name),
                            errors);
  }
}

std::string_view storage_version(View object) {
  for (const View version : object["spec"]["versions"].items()) {
    if (version["storage"].flag()) return version["name"].text();
  }
  return {};
}

}  // namespace proa::kinds::crd
