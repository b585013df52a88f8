#include "client/shared/object_filter.h"

namespace proa::client {

Result<ObjectFilter> ObjectFilter::make(const Place& place, const WatchQuery& query) {
  ObjectFilter filter;
  filter.resource_ = place.resource;
  filter.name_space_ = place.name_space;
  filter.labels_ = TRY(api::LabelSelector::parse(query.label_selector));
  filter.fields_ = TRY(api::FieldSelector::parse(query.field_selector, *place.resource));
  return filter;
}

bool ObjectFilter::matches(const api::Object& object) const {
  const api::Metadata& metadata = object.metadata();
  if (!name_space_.empty() && metadata.name_space != name_space_) return false;
  if (!labels_.matches(metadata.labels)) return false;
  if (fields_.matches_everything()) return true;
  const std::vector<std::string> values = api::selectable_values(object.json(), *resource_);
  return fields_.matches([&](const api::FieldSelector::Term& term) -> std::string_view {
    if (term.place == api::FieldSelector::kName) return metadata.name;
    if (term.place == api::FieldSelector::kNamespace) return metadata.name_space;
    return values[term.place];
  });
}

}  // namespace proa::client
