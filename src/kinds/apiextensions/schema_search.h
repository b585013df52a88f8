#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "kinds/rules.h"

namespace proa::kinds::crd {

using SchemaTest = std::function<bool(View schema)>;

// Whether the test holds for a schema or one anywhere in it: upstream's SchemaHas.
bool any_schema(View schema, const SchemaTest& test);
// The same for the schemas of all versions.
bool any_schema_of(View spec, const SchemaTest& test);

// What a path such as ".spec.color" or ".spec['a.b']" leads to.
struct SchemaPlace {
  View schema;
  std::string path;   // "spec.color", "labels[a]"
  std::string error;  // why it leads nowhere; empty: it does
};
// `brackets`: whether names may be quoted in them.
SchemaPlace find_in_schema(View schema, std::string_view path, bool brackets);

}  // namespace proa::kinds::crd
