#include "kinds/apiextensions/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "api/schema/builtin.h"
#include "api/validation/go_form.h"
#include "api/validation/go_text.h"
#include "base/cost/budget.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "custom/validation/schema_defaults.h"
#include "json/print.h"
#include "kinds/apiextensions/openapi_schema.h"
#include "kinds/apiextensions/root_schema.h"
#include "kinds/apiextensions/schema_search.h"
#include "kinds/apiextensions/structural_schema.h"
#include "kinds/checks/fields.h"

namespace proa::kinds::crd {

namespace versions {

constexpr size_t kMaxWarningBytes = 256;

// A version, or what all versions share.
struct Subject {
  View version;
  const DefinitionChecks& checks;
  bool structural = true;  // it must be
  bool has_status = false;
  std::string_view selectable_of;  // its name; empty: of all versions
  bool has_schema = true;          // where upstream has it together with the selectable fields
};

// Defaults must be valid values themselves. `unchanged`: it was stored before, perhaps by rules
// that took more.
void validate_schema_defaults(View schema, bool unchanged, const api::Path& path,
                              api::FieldErrors& errors) {
  constexpr int kMinorVersion = 36;
  if (!any_schema(schema, [](View inner) { return inner["default"].exists(); })) return;
  Budget budget;
  const Result<void> done = custom::validate_defaults(
      {.schema = schema.value(), .minor_version = kMinorVersion, .requires_pruned = !unchanged},
      path, definition_patterns(), budget, errors);
  if (!done) errors.invalid(path, "", done.status().message());
}

void validate_schema(const Subject& subject, const api::Path& path, api::FieldErrors& errors) {
  const View schema = subject.version["schema"]["openAPIV3Schema"];
  if (!schema) return;
  const size_t before = errors.size();
  const api::Path schema_path = path.field("openAPIV3Schema");
  validate_root_schema(schema, subject.has_status, schema_path, errors);
  const std::string failure = subject.structural ? structural_failure(schema) : "";
  const size_t before_structure = errors.size();
  const bool unchanged = subject.checks.unchanged_schemas.contains(subject.version["name"].text());
  if (subject.structural && failure.empty()) {
    validate_structural(schema, schema_path, errors);
    if (errors.size() == before_structure)
      validate_schema_defaults(schema, unchanged, schema_path, errors);
  }
  const bool structural =
      subject.structural && failure.empty() && errors.size() == before_structure;
  SoundSchemas sound;
  validate_openapi_schema(schema, subject.checks, schema_path, errors, sound);
  // Most of what does not convert is reported better by now.
  if (!failure.empty() && errors.size() == before) errors.invalid(schema_path, "", failure);
  if (!structural || sound.empty()) return;
  validate_expressions(schema, sound, unchanged, schema_path, errors);
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

void validate_selectable_field(View schema, View field, const api::Path& at,
                               std::set<std::string>& seen, api::FieldErrors& errors) {
  const std::string_view text = field["jsonPath"].text();
  const api::Path path = at.field("jsonPath");
  if (text.empty()) return errors.required(path);
  const SchemaPlace found = find_in_schema(schema, text, false);
  if (!found.error.empty()) {
    return errors.invalid(path, text, "is an invalid path: " + found.error);
  }
  if (found.path == "metadata" || found.path.starts_with("metadata.") ||
      found.path.starts_with("metadata[")) {
    errors.invalid(path, text, "must not point to fields in metadata");
  }
  if (!contains({"boolean", "integer", "string"}, found.schema["type"].text())) {
    errors.invalid(path, text,
                   "must point to a field of type string, boolean or integer. Enum string fields "
                   "and strings with formats are allowed.");
  }
  if (!seen.insert(found.path).second) errors.duplicate(path, text);
}

void validate_selectable(const Subject& subject, const api::Path& parent,
                         api::FieldErrors& errors) {
  const api::Path path = parent.field("selectableFields");
  const View fields = subject.version["selectableFields"];
  const View schema = subject.version["schema"]["openAPIV3Schema"];
  if (fields.empty()) return;
  // Upstream looks for the schema where the selectable fields are, not where it put the schema.
  if (!subject.has_schema || !schema) {
    return errors.invalid(path, "",
                          subject.selectable_of.empty()
                              ? "may only be set when validations.schema is included"
                              : "may only be set when `version.schema.openAPIV3Schema` is not "
                                "included");
  }
  const std::string failure = structural_failure(schema);
  if (!failure.empty()) {
    errors.invalid(parent.field("schema.openAPIV3Schema"), "", failure);
  }
  std::set<std::string> seen;
  each(fields, path, [&](View field, const api::Path& at) {
    validate_selectable_field(failure.empty() ? schema : View(), field, at, seen, errors);
  });
  if (seen.size() > kMaxSelectableFields &&
      !subject.checks.tolerated_selectable.contains(subject.selectable_of)) {
    errors.too_many(path, seen.size(), kMaxSelectableFields);
  }
}

void validate_deprecation(View version, const api::Path& path, api::FieldErrors& errors) {
  const View warning = version["deprecationWarning"];
  if (!warning) return;
  // A pointer in Go: printed as JSON.
  const auto invalid = [&](std::string_view detail) {
    errors.invalid_shown(path, json::print(*warning.value()), detail);
  };
  if (!version["deprecated"].flag()) {
    return invalid("can only be set for deprecated versions");
  }
  if (warning.text().size() > kMaxWarningBytes) {
    invalid("must be <= 256 characters long");
  }
  if (warning.text().empty()) invalid("must not be an empty string");
  for (size_t i = 0; i < warning.text().size();) {
    const Utf8 character = decode_utf8(warning.text().substr(i));
    if (!api::is_printable(character.code)) {
      return invalid(
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
  Shared shared{};
  for (size_t i = 0; i < shared.size(); ++i) shared[i] = is_shared(all, kParts[i].name);
  return shared;
}

// `shared`: whether it is that of all versions.
void validate_part(const Subject& subject, const Part& part, bool shared, const api::Path& parent,
                   api::FieldErrors& errors) {
  const View value = subject.version[part.name];
  const api::Path path = parent.field(shared ? part.shared_name : part.name);
  if (part.name == "schema") return validate_schema(subject, path, errors);
  if (part.name == "subresources") return validate_subresources(value, path, errors);
  if (part.name == "selectableFields") return validate_selectable(subject, parent, errors);
  validate_columns(value, path, errors);
}

bool has_status(View version) { return version["subresources"]["status"].exists(); }

void validate_version(const Subject& subject, const Shared& shared, const api::Path& path,
                      api::FieldErrors& errors) {
  const std::string_view name = subject.version["name"].text();
  const api::Problems problems = api::check_dns1035_label(name);
  if (!problems.empty()) errors.invalid(path.field("name"), name, join(problems, ","));
  validate_deprecation(subject.version, path.field("deprecationWarning"), errors);
  for (size_t i = 0; i < shared.size(); ++i) {
    if (!shared[i]) validate_part(subject, kParts[i], false, path, errors);
  }
}

// Upstream's type has the name of the first version in a field of its own, too.
void validate_first_name(std::string_view name, const api::Path& path, api::FieldErrors& errors) {
  const api::Problems problems = api::check_dns1035_label(name);
  if (!name.empty() && !problems.empty()) errors.invalid(path, name, join(problems, ","));
}

// `pruned`: fields that the schema does not have are.
void require_schemas(View all, bool required, bool pruned, const api::Path& path,
                     api::FieldErrors& errors) {
  each(all, path, [&](View version, const api::Path& at) {
    if (version["schema"]["openAPIV3Schema"]) return;
    if (required) {
      errors.required(at.field("schema.openAPIV3Schema"));
    } else if (pruned && version["served"].flag()) {
      errors.required(at.field("schema.openAPIV3Schema"),
                      "because otherwise all fields are pruned");
    }
  });
}

// What only structural schemas may have.
bool needs_structure(View schema) {
  if (schema["default"] || schema["x-kubernetes-preserve-unknown-fields"] ||
      schema["x-kubernetes-list-type"]) {
    return true;
  }
  return schema["x-kubernetes-embedded-resource"].flag() ||
         schema["x-kubernetes-int-or-string"].flag() ||
         !schema["x-kubernetes-list-map-keys"].empty() ||
         !schema["x-kubernetes-validations"].empty();
}

// As upstream has them: without what all share.
std::string shown(View all, const Shared& shared) {
  if (!all) return "null";
  json::Arena arena;
  json::Value list = json::Value::array();
  for (const View version : all.items()) {
    json::Value shortened = json::Value::object();
    for (const json::Member& member : version.members()) {
      const auto* part = std::find_if(std::begin(kParts), std::end(kParts),
                                      [&](const Part& each) { return each.name == member.key; });
      if (part != std::end(kParts) && shared[static_cast<size_t>(part - kParts)]) continue;
      shortened.set(arena, member.key, member.value.copy(arena));
    }
    list.push_back(arena, std::move(shortened));
  }
  static const api::Type& type = *api::builtin_schema().find_openapi(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion");
  return api::go_form(list, type, api::Shape::kList);
}

}  // namespace versions

void validate_versions(View spec, const DefinitionChecks& checks, const api::Path& path,
                       api::FieldErrors& errors) {
  using namespace versions;
  const View all = spec["versions"];
  const api::Path versions_path = path.field("versions");
  // Nothing else is said: it would be long, and take long.
  if (all.size() > checks.most_versions)
    return errors.too_many(versions_path, all.size(), checks.most_versions);
  const bool pruned = !spec["preserveUnknownFields"].flag();
  require_schemas(all, checks.schemas_required, pruned, versions_path, errors);
  const bool structural =
      checks.structural_schemas || pruned || any_schema_of(spec, needs_structure);
  const Shared shared = shared_parts(all);
  const bool shared_schema = shared[0];
  size_t storage_versions = 0;
  std::set<std::string_view> names;
  each(all, versions_path, [&](View version, const api::Path& at) {
    names.insert(version["name"].text());
    storage_versions += version["storage"].flag() ? 1 : 0;
    validate_version({.version = version,
                      .checks = checks,
                      .structural = structural,
                      .has_status = has_status(version),
                      .selectable_of = version["name"].text(),
                      .has_schema = !shared_schema},
                     shared, at, errors);
  });
  if (names.size() != all.size()) {
    errors.invalid_shown(versions_path, shown(all, shared), "must contain unique version names");
  }
  if (storage_versions != 1) {
    errors.invalid_shown(versions_path, shown(all, shared),
                         "must have exactly one version marked as storage version");
  }
  validate_first_name(all.item(0)["name"].text(), path.field("version"), errors);
  const auto items = all.items();
  const Subject subject{.version = all.item(0),
                        .checks = checks,
                        .structural = structural,
                        .has_status = std::any_of(items.begin(), items.end(), has_status),
                        .selectable_of = {},
                        .has_schema = shared_schema};
  for (size_t i = 0; i < shared.size(); ++i) {
    if (shared[i]) validate_part(subject, kParts[i], true, path, errors);
  }
}

std::optional<std::string_view> storage_version(View object) {
  for (const View version : object["spec"]["versions"].items()) {
    if (version["storage"].flag()) return version["name"].text();
  }
  return std::nullopt;
}

}  // namespace proa::kinds::crd
