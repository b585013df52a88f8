#include "apiserver/representation/openapi/version3.h"

#include "apiserver/representation/openapi/operation_text.h"
#include "apiserver/representation/openapi/schemas/definitions.h"

namespace proa::apiserver {

namespace version3 {

void write_parameters(JsonText& out, std::span<const Parameter> parameters) {
  if (parameters.empty()) return;
  out.key("parameters");
  out.open('[');
  for (const Parameter& parameter : parameters) {
    out.open('{');
    write_parameter_names(out, parameter);
    out.key("schema");
    out.open('{');
    out.member("type", parameter.type);
    out.raw_member("uniqueItems", "true");
    out.close('}');
    out.close('}');
  }
  out.close(']');
}

// The same type in several encodings.
void write_content(JsonText& out, Definitions& definitions, MediaTypes media,
                   const api::Type* type) {
  out.key("content");
  out.open('{');
  for (const std::string_view one : media) {
    out.key(one);
    out.open('{');
    out.key("schema");
    if (type == nullptr) {
      out.raw(R"({"type":"string"})");
    } else {
      definitions.write_reference(out, *type);
    }
    out.close('}');
  }
  out.close('}');
}

void write_operation(JsonText& out, Definitions& definitions, const PathItem& item,
                     const ApiOperation& operation) {
  out.open('{');
  write_operation_names(out, item, operation);
  write_parameters(out, operation.parameters);
  if (operation.body != nullptr) {
    out.key("requestBody");
    out.open('{');
    write_content(out, definitions, operation.consumes, operation.body);
    if (operation.body_required) out.raw_member("required", "true");
    out.close('}');
  }
  write_answers(out, operation, [&](const ApiOperation::Answer& answer) {
    write_content(out, definitions, operation.produces, answer.type);
  });
  out.close('}');
}

void write_path(JsonText& out, Definitions& definitions, PathItem& item) {
  const std::vector<Parameter> common = item.take_common_parameters();
  out.key(item.path);
  out.open('{');
  for (const ApiOperation& operation : item.operations) {
    out.key(method_name(operation.method));
    write_operation(out, definitions, item, operation);
  }
  write_parameters(out, common);
  out.close('}');
}

}  // namespace version3

std::string openapi_v3_document(const Section& section, const CommonTypes& types,
                                std::string_view version) {
  std::vector<GroupVersion> group_versions;
  if (!section.resources.empty()) group_versions.push_back(section.group_version);
  Definitions definitions(Dialect::kVersion3, std::move(group_versions));
  definitions.know(section.resources);
  std::string document;
  JsonText out(document);
  out.open('{');
  out.member("openapi", "3.0.0");
  out.raw_member("info", info_json(version));
  out.key("paths");
  out.open('{');
  for (PathItem& item : paths_of(section, types)) version3::write_path(out, definitions, item);
  out.close('}');
  out.key("components");
  out.open('{');
  if (!definitions.empty()) {
    out.key("schemas");
    out.open('{');
    definitions.for_each(
        [&](std::string_view name, std::string_view schema) { out.raw_member(name, schema); });
    out.close('}');
  }
  out.raw_member("securitySchemes", kSecuritySchemes);
  out.close('}');
  out.close('}');
  return document;
}

}  // namespace proa::apiserver
