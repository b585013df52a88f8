#include "custom/decode/metadata.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/json/decode.h"
#include "api/codec/json/from_json.h"
#include "api/codec/json/strict.h"
#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "custom/decode/members.h"
#include "custom/decode/show.h"
#include "custom/decode/step.h"
#include "json/print.h"

namespace proa::custom {
namespace metadata {

const api::Type& object_meta() {
  static const api::Type* type =
      api::builtin_schema().find_openapi("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  CHECK(type != nullptr);
  return *type;
}

Result<api::FromJson> read(const json::Value& metadata, Budget& budget) {
  json::Document copy;
  copy.root() = metadata.copy(copy.arena());
  return api::from_json(std::move(copy), object_meta(), budget);
}

// "x" of `unknown field "x"`.
void report_unknown(const json::Value& metadata, std::string_view path, UnknownFields& unknown) {
  constexpr std::string_view kStart = "unknown field \"";
  const std::string prefix =
      path == "<nil>" ? std::string("metadata.") : std::string(path) + ".metadata.";
  for (const std::string& problem :
       api::find_strict_problems(json::print(metadata), object_meta())) {
    if (!problem.starts_with(kStart)) continue;
    unknown.add(prefix + problem.substr(kStart.size(), problem.size() - kStart.size() - 1));
  }
}

// Field by field, without those that cannot be read.
json::Value readable_part(json::Arena& arena, const json::Value& metadata, Budget& budget) {
  json::Value kept = json::Value::object();
  for (const json::Member& member : metadata.members()) {
    json::Value one = json::Value::object();
    one.set(arena, member.key, member.value.copy(arena));
    if (read(one, budget).ok()) kept.set(arena, member.key, member.value.copy(arena));
  }
  return kept;
}

Status words(const json::Value& metadata, const Status& otherwise) {
  const auto decoded =
      api::decode_json(json::print(metadata), object_meta(), api::FieldValidation::kIgnore);
  return decoded.ok() ? otherwise : decoded.status();
}

class Embedded {
 public:
  Embedded(json::Arena& arena, const MetadataOptions& options, Budget& budget)
      : arena_(arena), options_(options), budget_(budget) {}

  Result<void> visit(json::Value& value, const api::Structure* structure, bool is_resource,
                     const Step& at) {
    if (structure == nullptr || !(structure->has_embedded || is_resource)) return {};
    if (value.is(json::Kind::kArray)) {
      for (size_t i = 0; i < value.size(); ++i) {
        const api::Structure* items = structure->items;
        TRY(visit(value.items()[i], items, items != nullptr && items->embedded_resource,
                  Step::item(at, i)));
      }
      return {};
    }
    if (!value.is(json::Kind::kObject)) return {};
    if (is_resource) TRY(check_resource(value, at));
    for (json::Member& member : members_of(value)) {
      if (is_resource && is_meta_field(member.key)) continue;
      if (const api::Property* property = structure->find(member.key)) {
        TRY(visit(member.value, property->structure, property->structure->embedded_resource,
                  Step::property(at, member.key)));
      } else if (structure->additional != nullptr) {
        TRY(visit(member.value, structure->additional, structure->additional->embedded_resource,
                  Step::additional(at, member.key)));
      }
    }
    return {};
  }

 private:
  std::string path_of(const Step& at) const {
    std::string path = at.field_path();
    std::string root(options_.root);
    if (root.empty()) return path;
    if (path == "<nil>") return root;
    return root + (path.front() == '[' ? "" : ".") + path;
  }

  Status invalid(const Step& at, std::string_view name, const json::Value& value,
                 std::string_view why) const {
    return {Reason::kBadRequest, fmt::format("{}: Invalid value: {}: {}",
                                             path_of(Step::property(at, name)), shown(value), why)};
  }

  Result<void> check_resource(json::Value& object, const Step& at) {
    for (const std::string_view name : {"apiVersion", "kind"}) {
      const json::Value* value = object.find(name);
      if (value == nullptr || value->is(json::Kind::kString)) continue;
      if (!options_.drops_malformed) return invalid(at, name, *value, "must be a string");
      object.remove(name);
    }
    const json::Value* metadata = object.find("metadata");
    if (metadata == nullptr) return {};
    Result<void> done = canonicalize_metadata(arena_, object, path_of(at), options_, budget_);
    if (done.ok()) return {};
    if (!done.is(Reason::kBadRequest)) return done;
    // What is no object at all stays as it is.
    if (options_.drops_malformed) return {};
    return invalid(at, "metadata", *object.find("metadata"), done.status().message());
  }

  json::Arena& arena_;
  const MetadataOptions& options_;
  Budget& budget_;
};

}  // namespace metadata

Result<void> canonicalize_metadata(json::Arena& arena, json::Value& object, std::string_view path,
                                   const MetadataOptions& options, Budget& budget) {
  json::Value* found = object.find("metadata");
  if (found == nullptr) return {};
  Result<api::FromJson> read = metadata::read(*found, budget);
  if (!read.ok()) {
    if (!read.is(Reason::kBadRequest)) return read.status();
    if (!options.drops_malformed) return metadata::words(*found, read.status());
    if (!found->is(json::Kind::kObject)) {
      return Status(Reason::kBadRequest,
                    fmt::format("invalid metadata: expected object, got {}", go_type_name(*found)));
    }
    *found = metadata::readable_part(arena, *found, budget);
    read = metadata::read(*found, budget);
    if (!read.ok()) return read.status();
  }
  if (read->unknown_fields && options.unknown != nullptr) {
    metadata::report_unknown(*found, path, *options.unknown);
  }
  *found = read->document.root().copy(arena);
  return {};
}

Result<void> canonicalize_embedded(json::Arena& arena, json::Value& value,
                                   const api::Structure& structure, bool is_resource,
                                   const MetadataOptions& options, Budget& budget) {
  const size_t before = options.unknown == nullptr ? 0 : options.unknown->paths().size();
  TRY(metadata::Embedded(arena, options, budget)
          .visit(value, &structure, is_resource || structure.embedded_resource, Step()));
  if (options.unknown != nullptr) {
    std::vector<std::string>& paths = options.unknown->paths();
    std::sort(paths.begin() + static_cast<std::ptrdiff_t>(before), paths.end());
  }
  return {};
}

}  // namespace proa::custom
