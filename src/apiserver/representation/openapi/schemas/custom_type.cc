#include "apiserver/representation/openapi/schemas/custom_type.h"

#include <algorithm>

#include "api/object/view.h"
#include "json/print.h"

namespace proa::apiserver {
namespace custom_type {

using api::View;
using json::Value;

// Upstream's tests look for how these texts begin.
constexpr std::string_view kKind =
    R"({"description":"The kind of the object; a name in CamelCase.","type":"string"})";
constexpr std::string_view kApiVersion =
    R"({"description":"APIVersion defines by which group and version the object is to be read.","type":"string"})";
constexpr std::string_view kMetadata = "Standard object's metadata: name, labels and the rest.";
constexpr std::string_view kIntOrString = R"([{"type":"integer"},{"type":"string"}])";

bool is_set(View schema, std::string_view attribute) { return schema[attribute].flag(); }

class Writer {
 public:
  Writer(JsonText& out, Dialect dialect, std::string_view metadata)
      : out_(out), version3_(dialect == Dialect::kVersion3), metadata_(metadata) {}

  // The members of the schema of a whole object.
  void root(View schema) {
    // Clients would take a schema with properties as complete.
    if (!version3_ && is_set(schema, "x-kubernetes-preserve-unknown-fields")) {
      out_.member("type", "object");
    } else {
      members(schema, true);
    }
  }

 private:
  void schema(View schema) {
    out_.open('{');
    members(schema, false);
    out_.close('}');
  }

  bool drops_parts(View schema) const {
    return !version3_ &&
           (is_set(schema, "nullable") || is_set(schema, "x-kubernetes-preserve-unknown-fields"));
  }

  bool drops_type(View schema) const {
    if (version3_) return false;
    if (is_set(schema, "nullable")) return true;
    const std::string_view type = schema["type"].text();
    if (type == "array") return drops_parts(schema) || !schema["items"].exists();
    return type == "object" && is_set(schema, "x-kubernetes-preserve-unknown-fields");
  }

  // Whether an attribute that is no schema is repeated as it is.
  bool repeats(View schema, std::string_view name) const {
    if (name == "properties" || name == "items" || name == "additionalProperties" ||
        name == "required") {
      return false;
    }
    if (name == "type") return !drops_type(schema);
    if (version3_) return true;
    return name != "allOf" && name != "anyOf" && name != "oneOf" && name != "not" &&
           name != "nullable";
  }

  void members(View schema, bool is_root) {
    for (const json::Member& member : schema.members()) {
      if (repeats(schema, member.key)) out_.raw_member(member.key, json::print(member.value));
    }
    if (version3_ && is_set(schema, "x-kubernetes-int-or-string") && !schema["anyOf"].exists() &&
        !schema["allOf"].exists()) {
      out_.raw_member("anyOf", kIntOrString);
    }
    const bool parts = !drops_parts(schema);
    const bool is_object =
        is_root || (is_set(schema, "x-kubernetes-embedded-resource") &&
                    (version3_ || !is_set(schema, "x-kubernetes-preserve-unknown-fields")));
    if (is_object || (parts && schema["properties"].exists()))
      properties(parts ? schema["properties"] : View(), is_object);
    required(schema, is_object && !is_root);
    if (parts && schema["items"].exists()) {
      out_.key("items");
      this->schema(schema["items"]);
    }
    if (const View more = schema["additionalProperties"]; more.exists()) {
      out_.key("additionalProperties");
      if (more.is(json::Kind::kObject)) {
        this->schema(more);
      } else {
        out_.raw(more.flag() ? "true" : "false");
      }
    }
  }

  void properties(View stated, bool is_object) {
    out_.key("properties");
    out_.open('{');
    if (is_object) {
      out_.raw_member("apiVersion", kApiVersion);
      out_.raw_member("kind", kKind);
      out_.key("metadata");
      write_metadata();
    }
    for (const json::Member& member : stated.members()) {
      const bool own =
          member.key == "apiVersion" || member.key == "kind" || member.key == "metadata";
      if (is_object && own) continue;
      out_.key(member.key);
      schema(member.value);
    }
    out_.close('}');
  }

  void write_metadata() {
    out_.open('{');
    out_.member("description", kMetadata);
    if (version3_) {
      out_.raw_member("allOf", R"([{"$ref":")" + std::string(metadata_) + R"("}])");
    } else {
      out_.member("$ref", metadata_);
    }
    out_.close('}');
  }

  // What may be null cannot be required in Swagger.
  void required(View schema, bool embedded) {
    std::vector<std::string_view> names;
    const View more = schema["additionalProperties"];
    const bool any = version3_ || !is_set(more, "nullable");
    for (const View name : schema["required"].items()) {
      const View property = schema["properties"][name.text()];
      if (any && (version3_ || !is_set(property, "nullable"))) names.push_back(name.text());
    }
    for (const std::string_view name : {"kind", "apiVersion"}) {
      if (embedded && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    if (!names.empty()) out_.texts_member("required", names);
  }

  JsonText& out_;
  const bool version3_;
  const std::string_view metadata_;
};

void write_kind(JsonText& out, const custom::CustomResource& resource) {
  out.key("x-kubernetes-group-version-kind");
  out.open('[');
  out.open('{');
  out.member("group", resource.group);
  out.member("kind", resource.type->name);
  out.member("version", resource.version);
  out.close('}');
  out.close(']');
  if (resource.selectable.empty()) return;
  out.key("x-kubernetes-selectable-fields");
  out.open('[');
  for (const api::SelectableField& field : resource.selectable) {
    out.open('{');
    out.member("fieldPath", field.name);
    out.close('}');
  }
  out.close(']');
}

}  // namespace custom_type

void write_custom_type(JsonText& out, const custom::CustomResource& resource, Dialect dialect,
                       std::string_view metadata) {
  out.open('{');
  const Result<json::Document> definition = resource.definition().object()->document();
  if (definition) {
    const api::View version = resource.stated(definition->root());
    custom_type::Writer(out, dialect, metadata).root(version["schema"]["openAPIV3Schema"]);
  }
  custom_type::write_kind(out, resource);
  out.close('}');
}

}  // namespace proa::apiserver
