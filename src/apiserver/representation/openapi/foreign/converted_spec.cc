#include "apiserver/representation/openapi/foreign/converted_spec.h"

#include <set>

#include "api/object/view.h"
#include "apiserver/representation/openapi/json_text.h"
#include "base/encoding.h"
#include "crypto/digest.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace converted_spec {

using api::View;

constexpr std::string_view kReference = "$ref";
constexpr std::string_view kMethods[] = {"get",     "put",  "post", "delete",
                                         "options", "head", "patch"};
constexpr size_t kMostOfDocument = size_t{32} << 20;

std::string converted_reference(std::string_view reference) {
  constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
      {"#/definitions/", "#/components/schemas/"},
      {"#/parameters/", "#/components/parameters/"},
      {"#/responses/", "#/components/responses/"}};
  for (const auto& [before, after] : kPrefixes) {
    if (reference.starts_with(before))
      return std::string(after) + std::string(reference.substr(before.size()));
  }
  return std::string(reference);
}

// Writes the parts of a document, in the forms of version 3. Ends early once it is too long.
class Writer {
 public:
  explicit Writer(std::string& text) : text_(text), out_(text) {}

  bool is_too_long() const { return text_.size() > kMostOfDocument; }

  void document(const ForeignSpec& spec) {
    out_.open('{');
    out_.member("openapi", "3.0.0");
    out_.raw_member("info", spec.info.empty() ? "null" : spec.info);
    entries("paths", spec.paths, &Writer::path);
    out_.key("components");
    out_.open('{');
    entries("schemas", spec.definitions, &Writer::schema);
    if (!spec.parameters.empty()) entries("parameters", spec.parameters, &Writer::parameter);
    if (!spec.security.empty()) entries("securitySchemes", spec.security, &Writer::security);
    out_.close('}');
    out_.close('}');
  }

 private:
  void entries(std::string_view name, const ForeignSpec::Entries& all,
               void (Writer::*write)(View)) {
    out_.key(name);
    out_.open('{');
    for (const auto& [key, json] : all) {
      if (is_too_long()) return;
      out_.key(key);
      const json::Document parsed = json::parse_literal(json);
      (this->*write)(parsed.root());
    }
    out_.close('}');
  }

  void raw(View value) { out_.raw(json::print(*value.value())); }
  void copy(View from, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (!from[name].exists()) continue;
      out_.key(name);
      raw(from[name]);
    }
  }
  void extensions(View from) {
    for (const json::Member& member : from.members()) {
      if (!member.key.starts_with("x-")) continue;
      out_.key(member.key);
      raw(member.value);
    }
  }
  // Whether that was all.
  bool is_reference(View value) {
    const std::string_view reference = value[kReference].text();
    if (reference.empty()) return false;
    out_.open('{');
    out_.member(kReference, converted_reference(reference));
    out_.close('}');
    return true;
  }

  void schema_list(View list) {
    out_.open('[');
    for (const View one : list.items()) schema(one);
    out_.close(']');
  }
  void schema_map(View map) {
    out_.open('{');
    for (const json::Member& member : map.members()) {
      out_.key(member.key);
      schema(member.value);
    }
    out_.close('}');
  }

  void schema_member(std::string_view name, View value) {
    out_.key(name);
    const bool is_object = value.is(json::Kind::kObject);
    if ((name == "properties" || name == "patternProperties") && is_object)
      return schema_map(value);
    const bool is_schema = name == "items" || name == "additionalProperties" ||
                           name == "additionalItems" || name == "not";
    if (is_schema && is_object) return schema(value);
    const bool is_list = name == "items" || name == "allOf" || name == "anyOf" || name == "oneOf";
    if (is_list && value.is(json::Kind::kArray)) return schema_list(value);
    raw(value);
  }

  // A reference has nothing beside it in version 3.
  void schema(View value) {
    if (!value.is(json::Kind::kObject)) return raw(value);
    const bool refers = !value[kReference].text().empty();
    if (refers && value.size() == 1) {
      is_reference(value);
      return;
    }
    out_.open('{');
    if (refers) {
      out_.key("allOf");
      out_.open('[');
      is_reference(value);
      out_.close(']');
    }
    for (const json::Member& member : value.members()) {
      if (refers && (member.key == kReference || member.key == "allOf")) continue;
      schema_member(member.key, member.value);
    }
    out_.close('}');
  }

  void parameter(View value) {
    if (is_reference(value)) return;
    out_.open('{');
    copy(value, {"name", "in", "description", "required", "allowEmptyValue"});
    out_.key("schema");
    if (value["schema"].exists()) {
      schema(value["schema"]);
    } else {
      out_.open('{');
      copy(value, {"type", "format", "uniqueItems"});
      out_.close('}');
    }
    extensions(value);
    out_.close('}');
  }

  void content(View media, View described) {
    if (!media.is(json::Kind::kArray)) return;
    out_.key("content");
    out_.open('{');
    std::set<std::string_view> written;
    for (const View type : media.items()) {
      if (!written.insert(type.text()).second) continue;
      if (is_too_long()) return;
      out_.key(type.text());
      out_.open('{');
      out_.key("schema");
      schema(described);
      out_.close('}');
    }
    out_.close('}');
  }

  void response(View value, View produces) {
    if (is_reference(value)) return;
    out_.open('{');
    copy(value, {"description"});
    if (value["schema"].exists()) content(produces, value["schema"]);
    extensions(value);
    out_.close('}');
  }

  static bool is_body(View parameter) {
    return parameter["name"].text() == "body" && parameter["schema"].exists();
  }

  void parameters(View all) {
    if (!all.exists()) return;
    out_.key("parameters");
    out_.open('[');
    for (const View one : all.items()) {
      if (!is_body(one)) parameter(one);
    }
    out_.close(']');
  }

  void operation(View value) {
    out_.open('{');
    copy(value, {"tags", "summary", "description", "externalDocs", "operationId"});
    parameters(value["parameters"]);
    for (const View one : value["parameters"].items()) {
      if (!is_body(one)) continue;
      out_.key("requestBody");
      out_.open('{');
      content(value["consumes"], one["schema"]);
      out_.close('}');
      break;
    }
    out_.key("responses");
    out_.open('{');
    for (const json::Member& member : value["responses"].members()) {
      out_.key(member.key);
      if (member.key.starts_with("x-")) {
        raw(member.value);
      } else {
        response(member.value, value["produces"]);
      }
    }
    out_.close('}');
    copy(value, {"deprecated"});
    extensions(value);
    out_.close('}');
  }

  void path(View value) {
    if (is_reference(value)) return;
    out_.open('{');
    for (const std::string_view method : kMethods) {
      if (!value[method].exists()) continue;
      out_.key(method);
      operation(value[method]);
    }
    parameters(value["parameters"]);
    extensions(value);
    out_.close('}');
  }

  void security(View value) {
    out_.open('{');
    copy(value, {"type", "description", "name", "in"});
    const std::string_view flow = value["flow"].text();
    if (!flow.empty()) {
      out_.key("flows");
      out_.open('{');
      out_.key(flow);
      out_.open('{');
      out_.member("authorizationUrl", value["authorizationUrl"].text());
      out_.member("tokenUrl", value["tokenUrl"].text());
      copy(value, {"scopes"});
      out_.close('}');
      out_.close('}');
    }
    extensions(value);
    out_.close('}');
  }

  const std::string& text_;
  JsonText out_;
};

}  // namespace converted_spec

ConvertedSpecPtr convert_to_version3(const ForeignSpec& spec) {
  std::string text;
  converted_spec::Writer writer(text);
  writer.document(spec);
  if (writer.is_too_long()) return nullptr;
  std::string hash = to_upper_hex(crypto::sha512(text).view());
  return std::make_shared<const ConvertedSpec>(
      ConvertedSpec{.text = Bytes(std::move(text)), .hash = std::move(hash)});
}

}  // namespace proa::apiserver
