#include "apiserver/representation/openapi/version2.h"

#include <map>

#include "apiserver/representation/openapi/gnostic.h"
#include "apiserver/representation/openapi/operation_text.h"
#include "apiserver/representation/openapi/schemas/definitions.h"
#include "base/encoding.h"

namespace proa::apiserver {

namespace version2 {

constexpr std::string_view kSecurity = R"([{"BearerToken":[]}])";

// Parameters of many operations; written once and referenced.
class SharedParameters {
 public:
  // Named as upstream: with the first bits of a hash (FNV-1, 64 bits).
  std::string_view name_of(std::string_view parameter_name, const std::string& json) {
    std::string& name = names_[json];
    if (name.empty()) name = std::string(parameter_name) + "-" + hash(json);
    return name;
  }
  const std::map<std::string, std::string>& names() const { return names_; }

 private:
  static std::string hash(std::string_view text) {
    uint64_t hash = 14695981039346656037U;
    for (const char c : text) hash = (hash * 1099511628211U) ^ static_cast<unsigned char>(c);
    std::string bytes;
    for (int shift = 56; shift >= 16; shift -= 8) bytes += static_cast<char>(hash >> shift);
    return to_base64_url(bytes);
  }

  std::map<std::string, std::string> names_;  // by JSON
};

// Produces the parts of a document in sequence, holding one at a time.
class Parts {
 public:
  using Take = std::function<void(std::string_view name, std::string_view json)>;

  Parts(std::span<const Section> sections, const CommonTypes& types)
      : sections_(sections),
        types_(types),
        definitions_(Dialect::kVersion2, group_versions_of(sections)) {
    for (const Section& section : sections) definitions_.know(section.resources);
  }

  void paths(const Take& take) {
    std::string text;
    for (const Section& section : sections_) {
      for (PathItem& item : paths_of(section, types_)) {
        text.clear();
        JsonText out(text);
        write_path(out, item);
        take(item.path, text);
      }
    }
  }
  // REQUIRES: the paths were written before.
  void definitions(const Take& take) { definitions_.for_each(take); }
  void parameters(const Take& take) {
    for (const auto& [json, name] : shared_.names()) take(name, json);
  }

 private:
  static std::vector<GroupVersion> group_versions_of(std::span<const Section> sections) {
    std::vector<GroupVersion> found;
    for (const Section& section : sections) {
      if (!section.resources.empty()) found.push_back(section.group_version);
    }
    return found;
  }

  void write_path(JsonText& out, PathItem& item) {
    const std::vector<Parameter> common = item.take_common_parameters();
    out.open('{');
    for (const ApiOperation& operation : item.operations) {
      out.key(method_name(operation.method));
      write_operation(out, item, operation);
    }
    if (!common.empty()) write_parameters(out, common, nullptr);
    out.close('}');
  }

  void write_operation(JsonText& out, const PathItem& item, const ApiOperation& operation) {
    out.open('{');
    write_operation_names(out, item, operation);
    if (!operation.consumes.empty()) out.texts_member("consumes", operation.consumes);
    out.texts_member("produces", operation.produces);
    out.raw_member("schemes", R"(["https"])");
    if (operation.body != nullptr || !operation.parameters.empty()) {
      write_parameters(out, operation.parameters, &operation);
    }
    write_answers(out, operation, [&](const ApiOperation::Answer& answer) {
      out.key("schema");
      if (answer.type == nullptr) {
        out.raw(R"({"type":"string"})");
      } else {
        definitions_.write_reference(out, *answer.type);
      }
    });
    out.close('}');
  }

  // Includes the body of an operation, which is a parameter too.
  void write_parameters(JsonText& out, std::span<const Parameter> parameters,
                        const ApiOperation* operation) {
    out.key("parameters");
    out.open('[');
    if (operation != nullptr && operation->body != nullptr) write_body(out, *operation);
    for (const Parameter& parameter : parameters) write_parameter(out, parameter);
    out.close(']');
  }

  void write_parameter(JsonText& out, const Parameter& parameter) {
    std::string json;
    JsonText text(json);
    text.open('{');
    write_parameter_names(text, parameter);
    text.member("type", parameter.type);
    text.raw_member("uniqueItems", "true");
    text.close('}');
    // Old clients look for these among the parameters of the operation itself.
    const bool own = parameter.name == "name" || parameter.name == "dryRun" ||
                     parameter.name == "fieldValidation";
    if (own) return out.raw(json);
    write_shared(out, parameter.name, json);
  }

  void write_body(JsonText& out, const ApiOperation& operation) {
    std::string json;
    JsonText text(json);
    text.open('{');
    text.member("in", "body");
    text.member("name", "body");
    if (operation.body_required) text.raw_member("required", "true");
    text.key("schema");
    definitions_.write_reference(text, *operation.body);
    text.close('}');
    if (operation.body == operation.kind) return out.raw(json);
    write_shared(out, "body", json);
  }

  void write_shared(JsonText& out, std::string_view name, const std::string& json) {
    out.open('{');
    out.member("$ref", "#/parameters/" + std::string(shared_.name_of(name, json)));
    out.close('}');
  }

  const std::span<const Section> sections_;
  const CommonTypes& types_;
  Definitions definitions_;
  SharedParameters shared_;
};

}  // namespace version2

std::string openapi_v2_document(std::span<const Section> sections, const CommonTypes& types,
                                std::string_view version) {
  version2::Parts parts(sections, types);
  std::string document;
  JsonText out(document);
  const auto take = [&](std::string_view name, std::string_view json) {
    out.raw_member(name, json);
  };
  out.open('{');
  out.member("swagger", "2.0");
  out.raw_member("info", info_json(version));
  out.key("paths");
  out.open('{');
  parts.paths(take);
  out.close('}');
  out.key("definitions");
  out.open('{');
  parts.definitions(take);
  out.close('}');
  out.key("parameters");
  out.open('{');
  parts.parameters(take);
  out.close('}');
  out.raw_member("securityDefinitions", kSecuritySchemes);
  out.raw_member("security", version2::kSecurity);
  out.close('}');
  return document;
}

std::string openapi_v2_protobuf(std::span<const Section> sections, const CommonTypes& types,
                                std::string_view version) {
  version2::Parts parts(sections, types);
  GnosticDocument document;
  document.add_json(R"({"swagger":"2.0","info":)" + info_json(version) + "}");
  parts.paths([&](std::string_view name, std::string_view json) { document.add_path(name, json); });
  parts.definitions(
      [&](std::string_view name, std::string_view json) { document.add_definition(name, json); });
  parts.parameters(
      [&](std::string_view name, std::string_view json) { document.add_parameter(name, json); });
  document.add_json(R"({"security":)" + std::string(version2::kSecurity) +
                    R"(,"securityDefinitions":)" + std::string(kSecuritySchemes) + "}");
  return document.take();
}

}  // namespace proa::apiserver
