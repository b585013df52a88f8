#include "apiserver/representation/openapi/version2.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "apiserver/representation/openapi/gnostic.h"
#include "apiserver/representation/openapi/kept/kept_parts.h"
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
  void add(const SharedParameters& others) {
    names_.insert(others.names_.begin(), others.names_.end());
  }

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

using Encode = std::string (*)(std::string_view name, std::string_view json);

// Appends an entry of paths, definitions or parameters, in the encoding of a document.
void add_entry(std::string& out, DocumentEncoding encoding, Encode encode, std::string_view name,
               std::string_view json) {
  if (encoding == DocumentEncoding::kProtobuf) {
    out += encode(name, json);
    return;
  }
  if (!out.empty()) out += ',';
  json::print_string_to(out, name);
  out += ':';
  out += json;
}

// A custom resource with all that one can have. Paths of others differ from its own by names only.
const custom::CustomResource& example_resource() {
  static const custom::DefinitionPtr made =
      custom::Definition::make(
          api::Object::make(
              R"({"metadata":{"name":"examples.example.com","resourceVersion":"1"},"spec":{"group":"example.com",)"
              R"("names":{"plural":"examples","singular":"example","kind":"Example","listKind":"ExampleList"},)"
              R"("scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,)"
              R"("subresources":{"status":{},"scale":{"specReplicasPath":".a","statusReplicasPath":".b"}}}]}})"))
          .value();
  return made->stored();
}

// Produces the parts of a document in sequence: what is built in as a whole, which is small, and
// custom resources one at a time.
class Parts {
 public:
  Parts(std::span<const Section> sections, const CommonTypes& types, DocumentEncoding encoding)
      : encoding_(encoding),
        sections_(sections),
        types_(types),
        definitions_(Dialect::kVersion2, group_versions_of(sections)) {
    for (const Section& section : sections) {
      for (const api::Resource* resource : section.resources) {
        if (resource->custom) custom_.push_back(&custom::custom_resource(*resource));
      }
    }
    if (!custom_.empty()) keep_parts();
  }

  std::string paths() {
    std::string out;
    for (const Section& section : sections_) {
      for (PathItem& item : own_paths_of(section, types_)) add_path(item, out);
      for (const api::Resource* resource : section.resources) {
        if (!resource->custom) add_paths(*resource, out);
      }
    }
    return out;
  }
  // REQUIRES: the paths were written before.
  std::string definitions() {
    for (const custom::CustomResource* resource : custom_) definitions_.need_parts_of(*resource);
    std::string out;
    definitions_.for_each([&](std::string_view name, std::string_view json) {
      definition_names_.emplace(name);
      add_entry(out, encoding_, gnostic_definition, name, json);
    });
    for (const custom::CustomResource* resource : custom_) {
      definition_names_.emplace(resource->type->openapi);
      definition_names_.emplace(resource->list->openapi);
    }
    return out;
  }
  // The names in this document. REQUIRES: paths and definitions were written before.
  TakenNames taken() const {
    return {
        .definition = [this](std::string_view name) { return definition_names_.contains(name); },
        .parameter =
            [this](std::string_view name) {
              return std::ranges::any_of(shared_.names(),
                                         [&](const auto& each) { return each.second == name; });
            }};
  }
  // REQUIRES: the paths were written before.
  std::string parameters() {
    std::string out;
    for (const auto& [json, name] : shared_.names()) {
      add_entry(out, encoding_, gnostic_parameter, name, json);
    }
    return out;
  }

  std::span<const custom::CustomResource* const> custom() const { return custom_; }
  // Those of custom resources. REQUIRES: there are some.
  KeptParts& kept() { return *kept_; }

 private:
  static std::vector<GroupVersion> group_versions_of(std::span<const Section> sections) {
    std::vector<GroupVersion> found;
    for (const Section& section : sections) {
      if (!section.resources.empty()) found.push_back(section.group_version);
    }
    return found;
  }

  void keep_parts() {
    // What its paths refer to, those of others refer to as well.
    Parts example({}, types_, encoding_);
    std::string paths;
    example.add_paths(example_resource(), paths);
    shared_.add(example.shared_);
    for (const api::Type* type : {&types_.status, &types_.delete_options, &types_.patch})
      definitions_.need(*type);
    kept_.emplace(encoding_, std::move(paths),
                  [this](const custom::CustomResource& resource) { return encode(resource); });
  }

  // Apart from this document: its types are not among those that this one writes.
  EncodedParts encode(const custom::CustomResource& resource) const {
    Parts own({}, types_, encoding_);
    EncodedParts parts;
    own.add_paths(resource, parts.paths);
    own.definitions_.for_own_types(resource, [&](std::string_view name, std::string_view json) {
      add_entry(parts.schemas, encoding_, gnostic_definition, name, json);
    });
    return parts;
  }

  void add_paths(const api::Resource& resource, std::string& out) {
    for (PathItem& item : paths_of(resource, types_)) add_path(item, out);
  }

  void add_path(PathItem& item, std::string& out) {
    std::string text;
    JsonText json(text);
    write_path(json, item);
    add_entry(out, encoding_, gnostic_path, item.path, text);
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

  const DocumentEncoding encoding_;
  const std::span<const Section> sections_;
  const CommonTypes& types_;
  Definitions definitions_;
  SharedParameters shared_;
  std::set<std::string, std::less<>> definition_names_;
  std::vector<const custom::CustomResource*> custom_;
  std::optional<KeptParts> kept_;  // if there are custom resources
};

// Texts, and parts of custom resources, in the order of the document.
class Document final : public LongDocument {
 public:
  Document(std::span<const Section> sections, const CommonTypes& types, std::string_view version,
           DocumentEncoding encoding, std::span<const ForeignSpecPtr> foreign)
      : encoding_(encoding), parts_(sections, types, encoding) {
    const Texts texts = write_texts(foreign);
    if (encoding == DocumentEncoding::kJson) {
      plan_json(version, texts);
    } else {
      plan_protobuf(version, texts);
    }
  }

  bool next(std::string& out, size_t bytes) override {
    for (const size_t end = out.size() + bytes; at_ < pieces_.size() && out.size() < end; ++at_) {
      const Piece& piece = pieces_[at_];
      out += piece.text;
      if (piece.custom != nullptr) (parts_.kept().*piece.add)(*piece.custom, out);
    }
    return at_ < pieces_.size();
  }

 private:
  using Add = void (KeptParts::*)(const custom::CustomResource& resource, std::string& out);
  // A text, and what follows it.
  struct Piece {
    std::string text;
    const custom::CustomResource* custom = nullptr;
    Add add = nullptr;
  };

  void add_text(std::string text) { pieces_.push_back({.text = std::move(text)}); }
  void add_custom(Add add, std::string_view separator) {
    for (const custom::CustomResource* resource : parts_.custom()) {
      pieces_.push_back({.text = std::string(separator), .custom = resource, .add = add});
    }
  }

  // The whole document but custom resources, in the encoding of this document.
  struct Texts {
    std::string paths;
    std::string definitions;
    std::string parameters;
    std::string foreign_paths;  // these come after custom resources
    std::string foreign_definitions;
    std::string foreign_parameters;
  };

  Texts write_texts(std::span<const ForeignSpecPtr> foreign) {
    Texts texts;
    texts.paths = parts_.paths();
    texts.definitions = parts_.definitions();
    texts.parameters = parts_.parameters();
    const ForeignSpec merged = merge_foreign_specs(foreign, parts_.taken());
    texts.foreign_paths = write_entries(merged.paths, gnostic_path);
    texts.foreign_definitions = write_entries(merged.definitions, gnostic_definition);
    texts.foreign_parameters = write_entries(merged.parameters, gnostic_parameter);
    return texts;
  }

  std::string write_entries(const ForeignSpec::Entries& entries, Encode encode) const {
    std::string out;
    for (const auto& [name, json] : entries) add_entry(out, encoding_, encode, name, json);
    // Something of this server's is before it.
    if (encoding_ == DocumentEncoding::kJson && !out.empty()) out.insert(0, ",");
    return out;
  }

  void plan_json(std::string_view version, const Texts& texts) {
    add_text(R"({"swagger":"2.0","info":)" + info_json(version) + R"(,"paths":{)" + texts.paths);
    add_custom(&KeptParts::add_paths, ",");
    add_text(texts.foreign_paths + R"(},"definitions":{)" + texts.definitions);
    add_custom(&KeptParts::add_schemas, ",");
    add_text(texts.foreign_definitions + R"(},"parameters":{)" + texts.parameters +
             texts.foreign_parameters + R"(},"securityDefinitions":)" +
             std::string(kSecuritySchemes) + R"(,"security":)" + std::string(kSecurity) + "}");
    kept_sizes();
  }

  void plan_protobuf(std::string_view version, const Texts& texts) {
    std::string head =
        gnostic_members(R"({"swagger":"2.0","info":)" + info_json(version) + R"(,"security":)" +
                        std::string(kSecurity) + R"(,"securityDefinitions":)" +
                        std::string(kSecuritySchemes) + "}");
    const KeptSizes sizes = kept_sizes();
    begin_gnostic_paths(head, texts.paths.size() + sizes.paths + texts.foreign_paths.size());
    add_text(head + texts.paths);
    add_custom(&KeptParts::add_paths, "");
    std::string middle = texts.foreign_paths;
    begin_gnostic_definitions(
        middle, texts.definitions.size() + sizes.schemas + texts.foreign_definitions.size());
    add_text(middle + texts.definitions);
    add_custom(&KeptParts::add_schemas, "");
    std::string rest = texts.foreign_definitions;
    begin_gnostic_parameters(rest, texts.parameters.size() + texts.foreign_parameters.size());
    add_text(rest + texts.parameters + texts.foreign_parameters);
  }

  // Makes those that are not there yet.
  KeptSizes kept_sizes() {
    KeptSizes sizes;
    for (const custom::CustomResource* resource : parts_.custom())
      parts_.kept().count(*resource, sizes);
    return sizes;
  }

  const DocumentEncoding encoding_;
  Parts parts_;
  std::vector<Piece> pieces_;
  size_t at_ = 0;
};

}  // namespace version2

std::unique_ptr<LongDocument> openapi_v2_document(std::span<const Section> sections,
                                                  const CommonTypes& types,
                                                  std::string_view version,
                                                  DocumentEncoding encoding,
                                                  std::span<const ForeignSpecPtr> foreign) {
  return std::make_unique<version2::Document>(sections, types, version, encoding, foreign);
}

}  // namespace proa::apiserver
