#include "kinds/apiextensions/structural_schema.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/cost/budget.h"
#include "kinds/apiextensions/schema_search.h"
#include "kinds/checks/fields.h"

namespace proa::kinds::crd {

namespace structural_schema {

enum class Level : uint8_t { kRoot, kItem, kField };

constexpr std::string_view kPreserve = "x-kubernetes-preserve-unknown-fields";
constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";

std::string_view type_of(View schema) { return schema["type"].text(); }

// Keywords that a restriction must not use, and why.
struct Forbidden {
  std::string_view field;
  std::string_view detail;
};
constexpr Forbidden kForbidden[] = {
    {"type", "must be empty to be structural"},
    {"additionalProperties", "must be undefined to be structural"},
    {"default", "must be undefined to be structural"},
    {"title", "must be empty to be structural"},
    {"description", "must be empty to be structural"},
    {"nullable", "must be false to be structural"},
    {kPreserve, "must be false to be structural"},
    {kEmbedded, "must be false to be structural"},
    {kIntOrString, "must be false to be structural"},
    {"x-kubernetes-list-map-keys", "must be empty to be structural"},
    {"x-kubernetes-list-type", "must be undefined to be structural"},
    {"x-kubernetes-map-type", "must be undefined to be structural"},
    {"x-kubernetes-validations", "must be empty to be structural"},
};

bool is_set(View value) {
  if (value.is(json::Kind::kBool)) return value.flag();
  if (value.is(json::Kind::kString)) return !value.text().empty();
  if (value.is(json::Kind::kArray)) return !value.empty();
  return value.exists();
}

void validate_pattern(View schema, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view pattern = schema["pattern"].text();
  if (pattern.empty()) return;
  // Paid for already.
  Budget budget;
  const std::string problem = definition_patterns().problem(pattern, budget);
  if (problem.empty()) return;
  errors.invalid(path.field("pattern"), pattern,
                 "must be a valid regular expression, but isn't: " + problem);
}

// The one place where a restriction names types: {anyOf: [{type: integer}, {type: string}]}.
bool is_int_or_string(View any_of) {
  const auto has_only_type = [](View schema, std::string_view type) {
    const auto members = schema.members();
    return type_of(schema) == type &&
           std::none_of(members.begin(), members.end(), [](const json::Member& member) {
             return member.key != "type" && is_set(member.value);
           });
  };
  return any_of.size() == 2 && has_only_type(any_of.item(0), "integer") &&
         has_only_type(any_of.item(1), "string");
}

void validate_restrictions(View schema, const api::Path& path, bool nested,
                           api::FieldErrors& errors);

// A schema below allOf, anyOf, oneOf or not.
void validate_restriction(View schema, const api::Path& path, bool may_be_int_or_string,
                          api::FieldErrors& errors) {
  validate_restrictions(schema, path, !may_be_int_or_string, errors);
  if (schema["items"].is(json::Kind::kObject)) {
    validate_restriction(schema["items"], path.field("items"), false, errors);
  }
  const api::Path properties = path.field("properties");
  for (const json::Member& member : schema["properties"].members()) {
    validate_restriction(member.value, properties.key(member.key), false, errors);
  }
  for (const Forbidden& forbidden : kForbidden) {
    const View value = schema[forbidden.field];
    // A default of false counts as a default.
    if (forbidden.field == "default" ? value.exists() : is_set(value))
      errors.forbidden(path.field(forbidden.field), forbidden.detail);
  }
  if (schema["properties"]["metadata"]) {
    errors.forbidden(properties.key("metadata"), "must not be specified in a nested context");
  }
}

// `nested`: below another restriction, where the exception for "integer or string" does not apply.
void validate_restrictions(View schema, const api::Path& path, bool nested,
                           api::FieldErrors& errors) {
  const api::Path any_of = path.field("anyOf");
  if (nested || !is_int_or_string(schema["anyOf"])) {
    each(schema["anyOf"], any_of,
         [&](View item, const api::Path& at) { validate_restriction(item, at, false, errors); });
  }
  const bool first_may = !nested && is_int_or_string(schema["allOf"].item(0)["anyOf"]);
  size_t index = 0;
  const api::Path all_of = path.field("allOf");
  each(schema["allOf"], all_of, [&](View item, const api::Path& at) {
    validate_restriction(item, at, index++ == 0 && first_may, errors);
  });
  const api::Path one_of = path.field("oneOf");
  each(schema["oneOf"], one_of,
       [&](View item, const api::Path& at) { validate_restriction(item, at, false, errors); });
  if (schema["not"]) validate_restriction(schema["not"], path.field("not"), false, errors);
  validate_pattern(schema, path, errors);
}

void validate_type(View schema, Level level, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = type_of(schema);
  const api::Path type_path = path.field("type");
  if (schema[kEmbedded].flag() && type != "object") {
    constexpr std::string_view kObject = "must be object if x-kubernetes-embedded-resource is true";
    if (type.empty()) {
      errors.required(type_path, kObject);
    } else {
      errors.invalid(type_path, type, kObject);
    }
  } else if (type.empty() && !schema[kIntOrString].flag() && !schema[kPreserve].flag()) {
    errors.required(type_path, level == Level::kRoot ? "must not be empty at the root"
                               : level == Level::kItem
                                   ? "must not be empty for specified array items"
                                   : "must not be empty for specified object fields");
  }
  if (level == Level::kRoot && !type.empty() && type != "object") {
    errors.invalid(type_path, type, "must be object at the root");
  }
}

void validate_extensions(View schema, const api::Path& path, api::FieldErrors& errors) {
  if (schema[kIntOrString].flag()) {
    for (const std::string_view name : {kPreserve, kEmbedded}) {
      if (!schema[name].flag()) continue;
      errors.invalid(path.field(name), schema[name],
                     "must be false if x-kubernetes-int-or-string is true");
    }
  }
  if (!schema[kEmbedded].flag()) return;
  if (schema["additionalProperties"]) {
    errors.forbidden(path.field("additionalProperties"),
                     "must not be used if x-kubernetes-embedded-resource is set");
  }
  if (!schema[kPreserve].flag() && schema["properties"].empty()) {
    errors.required(path.field("properties"),
                    "must not be empty if x-kubernetes-embedded-resource is true without "
                    "x-kubernetes-preserve-unknown-fields");
  }
}

// In the metadata of a custom resource, a schema may only restrict the name.
bool restricts_names_only(View metadata) {
  for (const json::Member& member : metadata.members()) {
    const View value = member.value;
    if (member.key == "type" || member.key == "default" || !value) continue;
    if (!value.is(json::Kind::kArray) && !is_set(value)) continue;
    if (member.key != "properties") return false;
    for (const json::Member& property : View(member.value).members()) {
      if (property.key != "name" && property.key != "generateName") return false;
    }
  }
  return true;
}

// kind, apiVersion and metadata of the object itself or of one embedded in it.
void validate_object_fields(View schema, Level level, const api::Path& path,
                            api::FieldErrors& errors) {
  const View properties = schema["properties"];
  const api::Path properties_path = path.field("properties");
  const bool is_object = level == Level::kRoot || schema[kEmbedded].flag();
  for (const std::string_view name : {"kind", "apiVersion"}) {
    if (!is_object || !properties[name] || type_of(properties[name]) == "string") continue;
    const api::Path name_path = properties_path.key(name);
    errors.invalid(name_path.field("type"), type_of(properties[name]), "must be string");
  }
  const View metadata = properties["metadata"];
  if (!metadata) return;
  const api::Path metadata_path = properties_path.key("metadata");
  if (is_object && type_of(metadata) != "object") {
    errors.invalid(metadata_path.field("type"), type_of(metadata), "must be object");
  }
  if (level == Level::kRoot && !restricts_names_only(metadata)) {
    errors.forbidden(metadata_path,
                     "must not specify anything other than name and generateName, but metadata is "
                     "implicitly specified");
  }
}

void validate_node(View schema, Level level, const api::Path& path, api::FieldErrors& errors) {
  const View items = schema["items"];
  if (type_of(schema) == "array" && !items) {
    errors.required(path.field("items"), "must be specified");
  }
  if (items.is(json::Kind::kObject)) {
    validate_node(items, Level::kItem, path.field("items"), errors);
  }
  const api::Path properties = path.field("properties");
  for (const json::Member& member : schema["properties"].members()) {
    validate_node(member.value, Level::kField, properties.key(member.key), errors);
  }
  const View additional = schema["additionalProperties"];
  const api::Path additional_path = path.field("additionalProperties");
  if (additional && level == Level::kRoot) {
    errors.forbidden(additional_path, "must not be used at the root");
  }
  if (additional.is(json::Kind::kObject)) {
    validate_node(additional, Level::kField, additional_path, errors);
  }
  validate_extensions(schema, path, errors);
  validate_restrictions(schema, path, false, errors);
  validate_type(schema, level, path, errors);
  validate_object_fields(schema, level, path, errors);
}

// A schema and one of its restrictions.
struct Place {
  const api::Path& schema;
  const api::Path& restriction;
};

void validate_completeness(View restriction, View schema, Place at, api::FieldErrors& errors) {
  if (!schema) {
    // The path may be as long as the object.
    if (errors.full()) return errors.count(1);
    return errors.required(at.schema,
                           fmt::format("because it is defined in {}", at.restriction.str()));
  }
  for (const std::string_view name : {"allOf", "anyOf", "oneOf"}) {
    const api::Path list = at.restriction.field(name);
    each(restriction[name], list, [&](View item, const api::Path& path) {
      validate_completeness(item, schema, {at.schema, path}, errors);
    });
  }
  const api::Path not_path = at.restriction.field("not");
  if (restriction["not"]) {
    validate_completeness(restriction["not"], schema, {at.schema, not_path}, errors);
  }
  // The schema itself is always complete.
  if (restriction.value() == schema.value()) return;
  const api::Path items = at.schema.field("items");
  const api::Path restricted_items = at.restriction.field("items");
  if (restriction["items"].is(json::Kind::kObject)) {
    validate_completeness(restriction["items"], schema["items"], {items, restricted_items}, errors);
  }
  const api::Path properties = at.schema.field("properties");
  const api::Path restricted_properties = at.restriction.field("properties");
  for (const json::Member& member : restriction["properties"].members()) {
    const api::Path path = properties.key(member.key);
    const api::Path restricted = restricted_properties.key(member.key);
    validate_completeness(member.value, schema["properties"][member.key], {path, restricted},
                          errors);
  }
}

}  // namespace structural_schema

std::string own_structural_failure(View schema) {
  constexpr std::string_view kNames[] = {
      "id",           "$schema",         "$ref",       "patternProperties",
      "dependencies", "additionalItems", "definitions"};
  for (const std::string_view name : kNames) {
    const View value = schema[name];
    const bool given = name == "additionalItems"       ? value.exists()
                       : value.is(json::Kind::kString) ? !value.text().empty()
                                                       : !value.empty();
    if (!given) continue;
    return fmt::format("OpenAPIV3Schema '{}' is not supported",
                       name == "$schema" ? "schema" : name);
  }
  const View preserve = schema[structural_schema::kPreserve];
  if (preserve && !preserve.flag()) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (schema["items"].is(json::Kind::kArray) && !schema["items"].empty()) {
    return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  }
  return {};
}

std::string structural_failure(View schema) {
  std::string failure;
  any_schema(schema, [&](View inner) {
    failure = own_structural_failure(inner);
    return !failure.empty();
  });
  return failure;
}

custom::Patterns& definition_patterns() {
  static custom::Patterns patterns;
  return patterns;
}

void validate_structural(View schema, const api::Path& path, api::FieldErrors& errors) {
  // Patterns of a few characters can take long to compile.
  Budget budget;
  const auto exceeds = [&](View inner) {
    const std::string_view pattern = inner["pattern"].text();
    if (!pattern.empty()) definition_patterns().problem(pattern, budget);
    return budget.exceeded();
  };
  if (any_schema(schema, exceeds)) {
    return errors.invalid(path, "", "patterns are too expensive to compile");
  }
  structural_schema::validate_node(schema, structural_schema::Level::kRoot, path, errors);
  structural_schema::validate_completeness(schema, schema, {path, path}, errors);
}

}  // namespace proa::kinds::crd
