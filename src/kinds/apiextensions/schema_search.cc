#include "kinds/apiextensions/schema_search.h"

#include <algorithm>

#include "cel/validation/field_path.h"

namespace proa::kinds::crd {

namespace schema_search {

bool any_of_list(View list, const SchemaTest& test) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const json::Value& item) { return any_schema(item, test); });
}

bool any_of_map(View map, const SchemaTest& test) {
  const auto members = map.members();
  return std::any_of(members.begin(), members.end(),
                     [&](const json::Member& member) { return any_schema(member.value, test); });
}

}  // namespace schema_search

bool any_schema(View schema, const SchemaTest& test) {
  using namespace schema_search;
  // Some places may have a flag or a list of names instead.
  if (!schema.is(json::Kind::kObject)) return false;
  if (test(schema)) return true;
  for (const std::string_view name : {"items", "not", "additionalProperties", "additionalItems"}) {
    if (any_schema(schema[name], test)) return true;
  }
  for (const std::string_view name : {"items", "allOf", "anyOf", "oneOf"}) {
    if (any_of_list(schema[name], test)) return true;
  }
  for (const std::string_view name :
       {"properties", "patternProperties", "definitions", "dependencies"}) {
    if (any_of_map(schema[name], test)) return true;
  }
  return false;
}

bool any_schema_of(View spec, const SchemaTest& test) {
  const auto versions = spec["versions"].items();
  return std::any_of(versions.begin(), versions.end(), [&](const json::Value& version) {
    return any_schema(View(version)["schema"]["openAPIV3Schema"], test);
  });
}

SchemaPlace find_in_schema(View schema, std::string_view path, bool brackets) {
  SchemaPlace place{.schema = schema, .path = {}, .error = {}};
  cel::FieldPathSteps steps(path, brackets);
  while (const std::optional<std::string> name = steps.next()) {
    const View properties = place.schema["properties"];
    const View values = place.schema["additionalProperties"];
    if (!properties.empty()) {
      place.schema = properties[*name];
      place.path += (place.path.empty() ? "" : ".") + *name;
    } else {
      place.schema = values.is(json::Kind::kObject) ? values : View();
      place.path += "[" + *name + "]";
    }
    if (!place.schema) {
      place.error = "does not refer to a valid field";
      return place;
    }
  }
  place.error = steps.error();
  return place;
}

}  // namespace proa::kinds::crd
