#include "kinds/apiextensions/root_schema.h"

#include <fmt/format.h>

#include "api/schema/builtin.h"

namespace proa::kinds::crd {

namespace root_schema {

struct Keyword {
  std::string_view name;
  bool allowed = true;
  bool pointer = false;  // zero is a value
};

// In the order of upstream's type: the first one that is not allowed is reported.
constexpr Keyword kKeywords[] = {
    {"id", false},
    {"$schema", false},
    {"$ref", false, true},
    {"description"},
    {"type"},
    {"nullable", false},
    {"format"},
    {"title"},
    {"default", false, true},
    {"maximum", true, true},
    {"exclusiveMaximum"},
    {"minimum", true, true},
    {"exclusiveMinimum"},
    {"maxLength", true, true},
    {"minLength", true, true},
    {"pattern"},
    {"maxItems", true, true},
    {"minItems", true, true},
    {"uniqueItems"},
    {"multipleOf", true, true},
    {"enum", false, true},
    {"maxProperties", false, true},
    {"minProperties", false, true},
    {"required", true, true},
    {"items", true, true},
    {"allOf", false, true},
    {"oneOf", false, true},
    {"anyOf", false, true},
    {"not", false, true},
    {"properties", true, true},
    {"additionalProperties", false, true},
    {"patternProperties", false, true},
    {"dependencies", false, true},
    {"additionalItems", false, true},
    {"definitions", false, true},
    {"externalDocs", true, true},
    {"example", true, true},
    {"x-kubernetes-preserve-unknown-fields", true, true},
    {"x-kubernetes-embedded-resource", false},
    {"x-kubernetes-int-or-string", false},
    {"x-kubernetes-list-map-keys", false, true},
    {"x-kubernetes-list-type", false, true},
    {"x-kubernetes-map-type", false, true},
    {"x-kubernetes-validations", true, true},
};

constexpr std::string_view kAllowed =
    "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength "
    "MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties "
    "ExternalDocs Example XPreserveUnknownFields XValidations]";

bool is_given(View schema, const Keyword& keyword) {
  const View value = schema[keyword.name];
  if (keyword.pointer) return value.exists();
  return value.is(json::Kind::kString) ? !value.text().empty() : value.flag();
}

const api::Type& schema_type() {
  static const api::Type& type = *api::builtin_schema().find_openapi(
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
  return type;
}

void validate_keywords(View schema, const api::Path& path, api::FieldErrors& errors) {
  for (const Keyword& keyword : kKeywords) {
    if (!is_given(schema, keyword)) continue;
    const std::string_view type = schema["type"].text();
    if (keyword.name == "type" && type != "object") {
      return errors.invalid(path.field("type"), type,
                            "only \"object\" is allowed as the type at the root of the schema if "
                            "the status subresource is enabled");
    }
    if (keyword.allowed) continue;
    return errors.invalid(path, schema, schema_type(),
                          fmt::format("only {} fields are allowed at the root of the schema if the "
                                      "status subresource is enabled",
                                      kAllowed));
  }
}

}  // namespace root_schema

void validate_root_schema(View schema, bool has_status, const api::Path& path,
                          api::FieldErrors& errors) {
  if (has_status) root_schema::validate_keywords(schema, path, errors);
  if (schema["nullable"].flag()) {
    errors.forbidden(path.field("nullable"), "nullable cannot be true at the root");
  }
}

}  // namespace proa::kinds::crd
