#include "apiserver/objects/selection.h"

#include <algorithm>
#include <optional>

#include "apiserver/objects/conversion.h"

namespace proa::apiserver {
namespace selection {

std::optional<std::string> text_of(std::optional<std::string_view> text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

// All selectable field values of the object, computed once and cached.
const api::Object::FieldValues& field_values(const api::Object& object,
                                             const api::Resource& resource) {
  if (const api::Object::FieldValues* known = object.field_values()) return *known;
  return object.keep_field_values(std::make_unique<const api::Object::FieldValues>(
      api::selectable_values(object.json(), resource)));
}

bool is_of_metadata(const api::FieldSelector::Term& term) {
  return term.place == api::FieldSelector::kName || term.place == api::FieldSelector::kNamespace;
}

}  // namespace selection

Result<Selection> Selection::make(const api::Resource& resource, api::LabelSelector labels,
                                  api::FieldSelector fields) {
  Selection selection(resource);
  selection.labels_ = std::move(labels);
  selection.fields_ = std::move(fields);
  TRY(selection.fields_.bind(resource));
  selection.only_name_ = selection::text_of(selection.fields_.required("metadata.name"));
  selection.only_namespace_ = selection::text_of(selection.fields_.required("metadata.namespace"));
  return selection;
}

bool Selection::matches(const api::Object& object) const {
  if (!labels_.matches_everything() && !labels_.matches(object.metadata().labels)) return false;
  if (fields_.matches_everything()) return true;
  // What is cached of a custom object is that of an earlier definition, perhaps.
  if (resource_->is_converted() || resource_->custom) return matches_converted(object);
  return fields_.matches(
      [&](const api::FieldSelector::Term& term) { return value_of(object, term.place); });
}

bool Selection::reads_objects() const {
  return resource_->custom && !std::ranges::all_of(fields_.terms(), selection::is_of_metadata);
}

std::string_view Selection::value_of(const api::Object& object, size_t place) const {
  if (place == api::FieldSelector::kName) return object.metadata().name;
  if (place == api::FieldSelector::kNamespace) return object.metadata().name_space;
  return selection::field_values(object, *resource_)[place];
}

bool Selection::matches_converted(const api::Object& object) const {
  // Names are the same in all versions: nobody has to be asked for them.
  std::optional<Result<json::Document>> document;
  return fields_.matches([&](const api::FieldSelector::Term& term) -> std::string {
    if (selection::is_of_metadata(term)) return std::string(value_of(object, term.place));
    if (!document) document = read_as(object, *resource_, Answers::kRecent);
    if (!document->ok()) return {};
    return api::selectable_value((*document)->root(), *resource_,
                                 resource_->selectable[term.place]);
  }) && (!document || document->ok());
}

}  // namespace proa::apiserver
