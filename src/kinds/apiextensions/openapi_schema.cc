#include "kinds/apiextensions/openapi_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "kinds/checks/fields.h"

namespace proa::kinds::crd {

namespace openapi_schema {

// Facts about the position of a schema in the object.
struct Context {
  bool root = false;
  bool in_metadata = false;        // of the object, or of one embedded in it
  std::string no_defaults_reason;  // empty: defaults are allowed
};

constexpr std::string_view kNotSupported[] = {"id",          "additionalItems", "patternProperties",
                                              "definitions", "dependencies",    "$ref"};

constexpr std::string_view kLists[] = {"allOf", "oneOf", "anyOf"};

bool is_given(View value) {
  if (value.is(json::Kind::kString)) return !value.text().empty();
  return value.is(json::Kind::kObject) ? !value.empty() : value.exists();
}

void validate_standard(View schema, const Context& context, const api::Path& path,
                       api::FieldErrors& errors) {
  const std::string_view type = schema["type"].text();
  if (!type.empty() &&
      !contains({"array", "boolean", "integer", "number", "object", "string"}, type)) {
    errors.not_supported(path.field("type"), type,
                         {"array", "boolean", "integer", "number", "object", "string"});
  }
  if (schema["default"] && !context.no_defaults_reason.empty()) {
    errors.forbidden(path.field("default"), "must not be set " + context.no_defaults_reason);
  }
  for (const std::string_view name : kNotSupported) {
    if (is_given(schema[name])) {
      errors.forbidden(path.field(name), fmt::format("{} is not supported", name));
    }
  }
  if (type == "null") {
    errors.forbidden(path.field("type"),
                     "type cannot be set to null, use nullable as an alternative");
  }
  if (schema["items"].is(json::Kind::kArray)) {
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
  const View items = schema["items"];
  const api::Path items_path = path.field("items");
  const View list_type = items["x-kubernetes-list-type"];
  constexpr std::string_view kAtomic =
      "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (items["type"].text() == "array" && list_type && list_type.text() != "atomic") {
    errors.invalid(items_path.field("x-kubernetes-list-type"), list_type, kAtomic);
  }
  if (items["type"].text() == "object" && items["x-kubernetes-map-type"].text() != "atomic") {
    errors.invalid(items_path.field("x-kubernetes-map-type"), list_type, kAtomic);
  }
}

void validate_map_key(View schema, std::string_view key, const std::set<std::string_view>& required,
                      const api::Path& path, api::FieldErrors& errors) {
  const View items = schema["items"];
  const View property = items["properties"][key];
  if (!property) {
    return errors.invalid(path.field("x-kubernetes-list-map-keys"),
                          schema["x-kubernetes-list-map-keys"],
                          "entries must all be names of item properties");
  }
  const api::Path properties = path.field("items.properties");
  const api::Path property_path = properties.key(key);
  const std::string_view type = property["type"].text();
  if (type == "array" || type == "object") {
    errors.invalid(property_path.field("type"), items["type"].text(),
                   "must be a scalar type if parent array's x-kubernetes-list-type is map");
  }
  if (!required.contains(key) && !property["default"]) {
    errors.required(property_path.field("default"),
                    "this property is in x-kubernetes-list-map-keys, so it must have a default or "
                    "be a required property");
  }
  if (property["nullable"].flag()) {
    errors.forbidden(property_path.field("nullable"),
                     "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
  }
}

void validate_map_list(View schema, const api::Path& path, api::FieldErrors& errors) {
  const View keys = schema["x-kubernetes-list-map-keys"];
  const View items = schema["items"];
  const api::Path keys_path = path.field("x-kubernetes-list-map-keys");
  if (keys.empty()) {
    errors.required(keys_path, "must not be empty if x-kubernetes-list-type is map");
  }
  if (!items) {
    return errors.required(path.field("items"),
                           "must have a schema if x-kubernetes-list-type is map");
  }
  if (!items.is(json::Kind::kObject)) {
    return errors.invalid(path.field("items"), items,
                          "must only have a single schema if x-kubernetes-list-type is map");
  }
  if (items["type"].text() != "object") {
    return errors.invalid(path.field("items.type"), items["type"].text(),
                          "must be object if parent array's x-kubernetes-list-type is map");
  }
  std::set<std::string_view> required;
  for (const View name : items["required"].items()) required.insert(name.text());
  std::set<std::string_view> seen;
  for (const View key : keys.items()) {
    validate_map_key(schema, key.text(), required, path, errors);
    if (!seen.insert(key.text()).second) {
      errors.invalid(keys_path, keys, "must not contain duplicate entries");
    }
  }
}

void validate_list_type(View schema, const api::Path& path, api::FieldErrors& errors) {
  const View type = schema["x-kubernetes-list-type"];
  const api::Path type_path = path.field("x-kubernetes-list-type");
  if (!schema["x-kubernetes-list-map-keys"].empty()) {
    constexpr std::string_view kMap = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (!type) {
      errors.required(type_path, kMap);
    } else if (type.text() != "map") {
      errors.invalid(type_path, type.text(), kMap);
    }
  }
  if (!type) return;
  require_type(schema, "array", "x-kubernetes-list-type", path, errors);
  check_one_of(type, {"atomic", "set", "map"}, type_path, errors);
  if (type.text() == "set") validate_set(schema, path, errors);
  if (type.text() == "map") validate_map_list(schema, path, errors);
  if (type.text() != "atomic" && schema["items"]["nullable"].flag()) {
    errors.forbidden(
        path.field("items.nullable"),
        fmt::format("cannot be nullable when x-kubernetes-list-type is {}", type.text()));
  }
}

void validate_extensions(View schema, const api::Path& path, api::FieldErrors& errors) {
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
  validate_list_type(schema, path, errors);
}

bool has_line_breaks(std::string_view text) {
  return text.find_first_of("\n\r") != std::string_view::npos;
}

// A validation rule: an expression and its message.
void validate_rule(View rule, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view expression = trim(rule["rule"].text());
  const std::string_view message = rule["message"].text();
  const api::Path message_path = path.field("message");
  if (expression.empty()) {
    errors.required(path.field("rule"), "rule is not specified");
  } else if (!message.empty() && trim(message).empty()) {
    errors.invalid(message_path, message, "must be non-empty if specified");
  } else if (has_line_breaks(trim(message))) {
    errors.invalid(message_path, message, "must not contain line breaks");
  } else if (has_line_breaks(expression) && message.empty()) {
    errors.required(message_path, "message must be specified if rule contains line breaks");
  }
  const std::string_view message_expression = rule["messageExpression"].text();
  if (!message_expression.empty() && trim(message_expression).empty()) {
    errors.required(path.field("messageExpression"),
                    "messageExpression must be non-empty if specified");
  }
  check_one_of(
      rule["reason"],
      {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"},
      path.field("reason"), errors);
  const std::string_view field_path = rule["fieldPath"].text();
  if (!field_path.empty() && trim(field_path).empty()) {
    errors.invalid(path.field("fieldPath"), field_path, "must be non-empty if specified");
  }
  if (has_line_breaks(field_path)) {
    errors.invalid(path.field("fieldPath"), field_path, "must not contain line breaks");
  }
}

void validate(View schema, const Context& context, const api::Path& path, api::FieldErrors& errors);

void validate_properties(View schema, const Context& context, const api::Path& path,
                         api::FieldErrors& errors) {
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
    validate(additional, inside, additional_path, errors);
  }
  const bool is_object = context.root || schema["x-kubernetes-embedded-resource"].flag();
  const api::Path properties = path.field("properties");
  for (const json::Member& member : schema["properties"].members()) {
    Context inside = below;
    if (is_object && contains({"metadata", "kind", "apiVersion"}, member.key)) {
      inside.in_metadata = true;
      if (context.root) inside.no_defaults_reason = fmt::format("in top-level {}", member.key);
    }
    validate(member.value, inside, properties.key(member.key), errors);
  }
}

void validate(View schema, const Context& context, const api::Path& path,
              api::FieldErrors& errors) {
  validate_standard(schema, context, path, errors);
  if (schema["uniqueItems"].flag()) {
    errors.forbidden(path.field("uniqueItems"),
                     "uniqueItems cannot be set to true since the runtime complexity becomes "
                     "quadratic");
  }
  validate_properties(schema, context, path, errors);
  Context below = context;
  below.root = false;
  if (schema["not"]) validate(schema["not"], below, path.field("not"), errors);
  for (const std::string_view name : kLists) {
    const api::Path list = path.field(name);
    each(schema[name], list,
         [&](View item, const api::Path& at) { validate(item, below, at, errors); });
  }
  if (schema["items"].is(json::Kind::kObject)) {
    validate(schema["items"], below, path.field("items"), errors);
  }
  validate_extensions(schema, path, errors);
  const api::Path rules = path.field("x-kubernetes-validations");
  each(schema["x-kubernetes-validations"], rules,
       [&](View rule, const api::Path& at) { validate_rule(rule, at, errors); });
}

// Keywords allowed at the root, with the names and in the order of upstream's message.
constexpr std::string_view kRootNames =
    "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
    "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties "
    "ExternalDocs Example XPreserveUnknownFields XValidations]";
constexpr std::string_view kRootFields[] = {"description",
                                            "type",
                                            "format",
                                            "title",
                                            "maximum",
                                            "exclusiveMaximum",
                                            "minimum",
                                            "exclusiveMinimum",
                                            "maxLength",
                                            "minLength",
                                            "pattern",
                                            "maxItems",
                                            "minItems",
                                            "uniqueItems",
                                            "multipleOf",
                                            "required",
                                            "items",
                                            "properties",
                                            "externalDocs",
                                            "example",
                                            "x-kubernetes-preserve-unknown-fields",
                                            "x-kubernetes-validations"};

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

void validate_openapi_schema(View schema, const api::Path& path, api::FieldErrors& errors) {
  openapi_schema::validate(schema, {.root = true}, path, errors);
}

void validate_root_schema(View schema, bool has_status, const api::Path& path,
                          api::FieldErrors& errors) {
  using openapi_schema::kRootFields;
  if (has_status) {
    for (const json::Member& member : schema.members()) {
      const View value = member.value;
      if (!value || (value.is(json::Kind::kBool) && !value.flag())) continue;
      if (member.key == "type" && value.text() != "object") {
        errors.invalid(path.field("type"), value.text(),
                       "only \"object\" is allowed as the type at the root of the schema if the "
                       "status subresource is enabled");
        break;
      }
      if (std::find(std::begin(kRootFields), std::end(kRootFields), member.key) ==
          std::end(kRootFields)) {
        errors.invalid(path, schema,
                       fmt::format("only {} fields are allowed at the root of the schema if the "
                                   "status subresource is enabled",
                                   openapi_schema::kRootNames));
        break;
      }
    }
  }
  if (schema["nullable"].flag()) {
    errors.forbidden(path.field("nullable"), "nullable cannot be true at the root");
  }
}

void find_unknown_formats(View schema, std::vector<std::string>& found) {
  const std::string_view format = schema["format"].text();
  if (!format.empty() && !openapi_schema::is_known_format(schema["type"].text(), format)) {
    found.emplace_back(format);
  }
  for (const std::string_view name : {"items", "not", "additionalProperties"}) {
    if (schema[name].is(json::Kind::kObject)) find_unknown_formats(schema[name], found);
  }
  for (const std::string_view name : openapi_schema::kLists) {
    for (const View item : schema[name].items()) find_unknown_formats(item, found);
  }
  for (const json::Member& member : schema["properties"].members()) {
    find_unknown_formats(member.value, found);
  }
}

}  // namespace proa::kinds::crd
