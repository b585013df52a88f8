#include "kinds/apiextensions/openapi_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/schema/builtin.h"
#include "kinds/apiextensions/schema_search.h"
#include "kinds/apiextensions/structural_schema.h"
#include "kinds/checks/fields.h"

namespace proa::kinds::crd {

namespace openapi_schema {

// Facts about the position of a schema in the object.
struct Context {
  const DefinitionChecks& checks;
  SoundSchemas& sound;
  bool root = false;
  bool in_metadata = false;        // of the object, or of one embedded in it
  std::string no_defaults_reason;  // empty: defaults are allowed
};

constexpr std::string_view kNotSupported[] = {"id",          "additionalItems", "patternProperties",
                                              "definitions", "dependencies",    "$ref"};
// Upstream has pointers here: empty is something.
constexpr std::string_view kNotEvenEmpty[] = {"additionalItems", "dependencies", "$ref"};

constexpr std::string_view kLists[] = {"allOf", "oneOf", "anyOf"};

bool is_given(View schema, std::string_view name) {
  const View value = schema[name];
  if (std::find(std::begin(kNotEvenEmpty), std::end(kNotEvenEmpty), name) !=
      std::end(kNotEvenEmpty)) {
    return value.exists();
  }
  return value.is(json::Kind::kString) ? !value.text().empty() : !value.empty();
}

void validate_standard(View schema, const Context& context, const api::Path& path,
                       api::FieldErrors& errors) {
  const std::string_view type = schema["type"].text();
  if (context.checks.known_types && has_unknown_type(schema)) {
    errors.not_supported(path.field("type"), type,
                         {"array", "boolean", "integer", "number", "object", "string"});
  }
  if (schema["default"] && !context.no_defaults_reason.empty()) {
    errors.forbidden(path.field("default"), "must not be set " + context.no_defaults_reason);
  }
  for (const std::string_view name : kNotSupported) {
    if (is_given(schema, name)) {
      errors.forbidden(path.field(name), fmt::format("{} is not supported", name));
    }
  }
  if (type == "null") {
    errors.forbidden(path.field("type"),
                     "type cannot be set to null, use nullable as an alternative");
  }
  if (schema["items"].is(json::Kind::kArray) && !schema["items"].empty()) {
    errors.forbidden(path.field("items"), "items must be a schema object and not an array");
  }
  if (context.in_metadata && schema["x-kubernetes-embedded-resource"].flag()) {
    errors.forbidden(path.field("x-kubernetes-embedded-resource"),
                     "must not be used inside of resource meta");
  }
}

void require_type(View schema, std::string_view type, std::string_view extension,
                  const api::Path& path, api::FieldErrors& errors) {
  const View given = schema["type"];
  if (given.text() == type) return;
  const std::string detail = fmt::format("must be {} if {} is specified", type, extension);
  if (given.text().empty()) {
    errors.required(path.field("type"), detail);
  } else {
    errors.invalid(path.field("type"), given.text(), detail);
  }
}

// Items of a set are compared as a whole.
void validate_set(View schema, const api::Path& path, api::FieldErrors& errors) {
  if (!has_divisible_set(schema)) return;
  const View items = schema["items"];
  const bool is_list = items["type"].text() == "array";
  const api::Path items_path = path.field("items");
  // Upstream shows the type of lists in both cases.
  errors.invalid(items_path.field(is_list ? "x-kubernetes-list-type" : "x-kubernetes-map-type"),
                 items["x-kubernetes-list-type"],
                 "must be atomic as item of a list with x-kubernetes-list-type=set");
}

void validate_map_keys(View schema, const api::Path& path, api::FieldErrors& errors) {
  const View keys = schema["x-kubernetes-list-map-keys"];
  const View items = schema["items"];
  const api::Path keys_path = path.field("x-kubernetes-list-map-keys");
  const api::Path properties = path.field("items.properties");
  std::set<std::string_view> seen;
  for (const View key : keys.items()) {
    const View property = items["properties"][key.text()];
    const api::Path property_path = properties.key(key.text());
    if (!property) {
      errors.invalid(keys_path, keys, "entries must all be names of item properties");
    } else if (contains({"array", "object"}, property["type"].text())) {
      errors.invalid(property_path.field("type"), items["type"].text(),
                     "must be a scalar type if parent array's x-kubernetes-list-type is map");
    }
    if (!seen.insert(key.text()).second) {
      errors.invalid(keys_path, keys, "must not contain duplicate entries");
    }
  }
}

void validate_map_list(View schema, const api::Path& path, api::FieldErrors& errors) {
  const View items = schema["items"];
  if (schema["x-kubernetes-list-map-keys"].empty()) {
    errors.required(path.field("x-kubernetes-list-map-keys"),
                    "must not be empty if x-kubernetes-list-type is map");
  }
  if (!items) {
    return errors.required(path.field("items"),
                           "must have a schema if x-kubernetes-list-type is map");
  }
  if (!items.is(json::Kind::kObject)) {
    static const api::Type& type = *api::builtin_schema().find_openapi(
        "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray");
    return errors.invalid(path.field("items"), items, type,
                          "must only have a single schema if x-kubernetes-list-type is map");
  }
  if (items["type"].text() != "object") {
    return errors.invalid(path.field("items.type"), items["type"].text(),
                          "must be object if parent array's x-kubernetes-list-type is map");
  }
  validate_map_keys(schema, path, errors);
}

// What identifies an item is always there.
void validate_required_keys(View schema, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = schema["x-kubernetes-list-type"].text();
  const View items = schema["items"];
  if (!items.is(json::Kind::kObject) || !contains({"set", "map"}, type)) return;
  if (items["nullable"].flag()) {
    errors.forbidden(path.field("items.nullable"),
                     fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type));
  }
  if (type != "map") return;
  std::set<std::string_view> required;
  for (const View name : items["required"].items()) required.insert(name.text());
  const api::Path properties = path.field("items.properties");
  for (const View key : schema["x-kubernetes-list-map-keys"].items()) {
    const View property = items["properties"][key.text()];
    if (!property) continue;
    const api::Path property_path = properties.key(key.text());
    if (!required.contains(key.text()) && !property["default"]) {
      errors.required(property_path.field("default"),
                      "this property is in x-kubernetes-list-map-keys, so it must have a default "
                      "or be a required property");
    }
    if (property["nullable"].flag()) {
      errors.forbidden(property_path.field("nullable"),
                       "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }
}

void validate_list_type(View schema, const DefinitionChecks& checks, const api::Path& path,
                        api::FieldErrors& errors) {
  const View type = schema["x-kubernetes-list-type"];
  const api::Path type_path = path.field("x-kubernetes-list-type");
  if (type) {
    require_type(schema, "array", "x-kubernetes-list-type", path, errors);
    if (checks.atomic_sets && schema["type"].text() == "array") validate_set(schema, path, errors);
    check_one_of(type, {"atomic", "set", "map"}, type_path, errors);
  }
  if (!schema["x-kubernetes-list-map-keys"].empty()) {
    constexpr std::string_view kMap = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (!type) {
      errors.required(type_path, kMap);
    } else if (type.text() != "map") {
      errors.invalid(type_path, type.text(), kMap);
    }
  }
  if (type.text() == "map") validate_map_list(schema, path, errors);
  if (checks.sound_map_keys) validate_required_keys(schema, path, errors);
}

void validate_extensions(View schema, const DefinitionChecks& checks, const api::Path& path,
                         api::FieldErrors& errors) {
  const View preserve = schema["x-kubernetes-preserve-unknown-fields"];
  if (preserve && !preserve.flag()) {
    errors.invalid(path.field("x-kubernetes-preserve-unknown-fields"), preserve,
                   "must be true or undefined");
  }
  const View map_type = schema["x-kubernetes-map-type"];
  if (map_type) {
    require_type(schema, "object", "x-kubernetes-map-type", path, errors);
    check_one_of(map_type, {"atomic", "granular"}, path.field("x-kubernetes-map-type"), errors);
  }
  validate_list_type(schema, checks, path, errors);
}

// Returns whether the schema, with those in it, can become structural.
bool validate(View schema, const Context& context, const api::Path& path, api::FieldErrors& errors);

bool validate_properties(View schema, const Context& context, const api::Path& path,
                         api::FieldErrors& errors) {
  bool structural = true;
  const View additional = schema["additionalProperties"];
  const api::Path additional_path = path.field("additionalProperties");
  const bool is_schema = additional.is(json::Kind::kObject);
  if (!schema["properties"].empty() && additional && (is_schema || !additional.flag())) {
    errors.forbidden(additional_path, "additionalProperties and properties are mutual exclusive");
  }
  Context below = context;
  below.root = false;
  if (is_schema) {
    Context inside = below;
    if (context.in_metadata) {
      inside.no_defaults_reason = "inside additionalProperties applying to object metadata";
    }
    structural &= validate(additional, inside, additional_path, errors);
  }
  const bool is_object = context.root || schema["x-kubernetes-embedded-resource"].flag();
  const api::Path properties = path.field("properties");
  for (const json::Member& member : schema["properties"].members()) {
    Context inside = below;
    if (is_object && contains({"metadata", "kind", "apiVersion"}, member.key)) {
      inside.in_metadata = true;
      if (context.root) inside.no_defaults_reason = fmt::format("in top-level {}", member.key);
    }
    structural &= validate(member.value, inside, properties.key(member.key), errors);
  }
  return structural;
}

// All schemas in a schema but those of properties.
bool validate_parts(View schema, const Context& context, const api::Path& path,
                    api::FieldErrors& errors) {
  bool structural = true;
  const auto part = [&](View inner, const api::Path& at) {
    if (inner.is(json::Kind::kObject)) structural &= validate(inner, context, at, errors);
  };
  part(schema["not"], path.field("not"));
  for (const std::string_view name : kLists) {
    const api::Path list = path.field(name);
    each(schema[name], list, part);
  }
  const api::Path definitions = path.field("definitions");
  for (const json::Member& member : schema["definitions"].members()) {
    part(member.value, definitions.key(member.key));
  }
  const api::Path items = path.field("items");
  part(schema["items"], items);
  each(schema["items"], items, part);
  const api::Path dependencies = path.field("dependencies");
  for (const json::Member& member : schema["dependencies"].members()) {
    part(member.value, dependencies.key(member.key));
  }
  return structural;
}

bool validate(View schema, const Context& context, const api::Path& path,
              api::FieldErrors& errors) {
  const size_t before = errors.size();
  validate_standard(schema, context, path, errors);
  if (schema["uniqueItems"].flag()) {
    errors.forbidden(path.field("uniqueItems"),
                     "uniqueItems cannot be set to true since the runtime complexity becomes "
                     "quadratic");
  }
  bool structural = own_structural_failure(schema).empty();
  structural &= validate_properties(schema, context, path, errors);
  Context below = context;
  below.root = false;
  structural &= validate_parts(schema, below, path, errors);
  validate_extensions(schema, context.checks, path, errors);
  const View rules = schema["x-kubernetes-validations"];
  const api::Path rules_path = path.field("x-kubernetes-validations");
  each(rules, rules_path, [&](View rule, const api::Path& at) {
    validate_rule(rule, structural ? schema : View(), at, errors);
  });
  if (!rules.empty() && errors.size() == before) context.sound.insert(schema.value());
  return structural;
}

constexpr std::string_view kFormats[] = {
    "bsonobjectid", "byte",        "cidr",         "creditcard", "date",     "datetime", "duration",
    "email",        "hexcolor",    "hostname",     "ipv4",       "ipv6",     "isbn",     "isbn10",
    "isbn13",       "k8slongname", "k8sshortname", "mac",        "password", "rgbcolor", "ssn",
    "uri",          "uuid",        "uuid3",        "uuid4",      "uuid5"};

bool is_known_format(std::string_view type, std::string_view format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  if (!type.empty() && type != "string") return false;
  std::string plain(format);
  std::erase(plain, '-');
  return std::binary_search(std::begin(kFormats), std::end(kFormats), std::string_view(plain));
}

}  // namespace openapi_schema

bool has_unknown_type(View schema) {
  const std::string_view type = schema["type"].text();
  return !type.empty() &&
         !contains({"array", "boolean", "integer", "number", "object", "string"}, type);
}

bool has_divisible_set(View schema) {
  const View items = schema["items"];
  if (schema["x-kubernetes-list-type"].text() != "set") return false;
  const std::string_view type = items["type"].text();
  if (type == "array") return items["x-kubernetes-list-type"].text("atomic") != "atomic";
  return type == "object" && items["x-kubernetes-map-type"].text() != "atomic";
}

bool has_optional_keys(View schema) {
  api::FieldErrors errors;
  openapi_schema::validate_required_keys(schema, api::Path(), errors);
  return errors.size() > 0;
}

void validate_openapi_schema(View schema, const DefinitionChecks& checks, const api::Path& path,
                             api::FieldErrors& errors, SoundSchemas& sound) {
  openapi_schema::validate(schema,
                           {.checks = checks,
                            .sound = sound,
                            .root = true,
                            .in_metadata = false,
                            .no_defaults_reason = {}},
                           path, errors);
}

void find_unknown_formats(View schema, std::vector<std::string>& found) {
  any_schema(schema, [&](View inner) {
    const std::string_view format = inner["format"].text();
    if (!format.empty() && !openapi_schema::is_known_format(inner["type"].text(), format)) {
      found.emplace_back(format);
    }
    return false;
  });
}

}  // namespace proa::kinds::crd
