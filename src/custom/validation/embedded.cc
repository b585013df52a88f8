#include "custom/validation/embedded.h"

#include <algorithm>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "custom/decode/members.h"
#include "custom/decode/metadata.h"
#include "custom/decode/show.h"

namespace proa::custom {
namespace embedded {

void must_be_text(const json::Value& value, const api::Path& path, api::FieldErrors& errors) {
  errors.worded(path, "FieldValueInvalid", "Invalid value: " + shown(value) + ": must be a string");
}

void validate_api_version(const json::Value& value, const api::Path& path,
                          api::FieldErrors& errors) {
  if (!value.is(json::Kind::kString)) return must_be_text(value, path, errors);
  const std::string_view text = value.as_string();
  if (text.empty()) return errors.invalid(path, text, "must not be empty");
  if (std::count(text.begin(), text.end(), '/') > 1) {
    errors.invalid(path, text, "unexpected GroupVersion string: " + std::string(text));
  }
}

void validate_kind(const json::Value& value, const api::Path& path, api::FieldErrors& errors) {
  if (!value.is(json::Kind::kString)) return must_be_text(value, path, errors);
  const std::string_view text = value.as_string();
  if (text.empty()) return errors.invalid(path, text, "must not be empty");
  const api::Problems problems = api::check_dns1035_label(to_lower(text));
  if (problems.empty()) return;
  errors.invalid(path, text,
                 "may have mixed case, but should otherwise match: " + join(problems, ","));
}

void validate_metadata(const json::Value& object, const api::Path& path, Budget& budget,
                       api::FieldErrors& errors) {
  json::Document copy;
  copy.root() = json::Value::object();
  copy.root().set(copy.arena(), "metadata", object.find("metadata")->copy(copy.arena()));
  const Result<void> done =
      canonicalize_metadata(copy.arena(), copy.root(), "<nil>", MetadataOptions(), budget);
  if (!done.ok()) {
    return errors.worded(
        path, "FieldValueInvalid",
        "Invalid value: " + shown(*object.find("metadata")) + ": " + done.status().message());
  }
  json::Value& metadata = *copy.root().find("metadata");
  // Something has to be set: a missing name is no error here.
  if (api::View(metadata)["name"].text().empty()) {
    metadata.set(copy.arena(), "name", json::Value::borrowed("fakename"));
  }
  const bool namespaced = !api::View(metadata)["namespace"].text().empty();
  api::validate_metadata(metadata,
                         {.name = api::check_path_segment,
                          .namespaced = namespaced,
                          .qualified_finalizers = false,
                          .generate_name = true},
                         path, errors);
}

void validate_resource(const json::Value& object, const api::Path& path, Budget& budget,
                       api::FieldErrors& errors) {
  const api::Path version_path = path.field("apiVersion");
  const api::Path kind_path = path.field("kind");
  const json::Value* version = object.find("apiVersion");
  const json::Value* kind = object.find("kind");
  if (version == nullptr) errors.required(version_path);
  if (kind == nullptr) errors.required(kind_path);
  if (version != nullptr) validate_api_version(*version, version_path, errors);
  if (kind != nullptr) validate_kind(*kind, kind_path, errors);
  if (object.find("metadata") == nullptr) return;
  const api::Path metadata_path = path.field("metadata");
  validate_metadata(object, metadata_path, budget, errors);
}

void visit(const json::Value& value, const api::Structure& structure, bool is_resource,
           const api::Path& path, Budget& budget, api::FieldErrors& errors) {
  if (!structure.has_embedded && !is_resource) return;
  if (value.is(json::Kind::kArray) && structure.items != nullptr) {
    for (size_t i = 0; i < value.size(); ++i) {
      const api::Path inner = path.index(i);
      visit(value.items()[i], *structure.items, structure.items->embedded_resource, inner, budget,
            errors);
    }
    return;
  }
  if (!value.is(json::Kind::kObject)) return;
  if (is_resource) validate_resource(value, path, budget, errors);
  for (const json::Member& member : value.members()) {
    if (const api::Property* property = structure.find(member.key)) {
      const api::Path inner = path.field(member.key);
      visit(member.value, *property->structure, property->structure->embedded_resource, inner,
            budget, errors);
    } else if (structure.additional != nullptr) {
      const api::Path inner = path.key(member.key);
      visit(member.value, *structure.additional, structure.additional->embedded_resource, inner,
            budget, errors);
    }
  }
}

}  // namespace embedded

void validate_embedded(const json::Value& value, const api::Structure& structure, bool is_resource,
                       const api::Path& path, Budget& budget, api::FieldErrors& errors) {
  embedded::visit(value, structure, is_resource || structure.embedded_resource, path, budget,
                  errors);
}

}  // namespace proa::custom
