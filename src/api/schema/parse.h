#pragma once

#include <span>
#include <string_view>

#include "api/schema/schema.h"

namespace proa::api {

// A file of schema/, whose README.md explains the language.
struct SchemaFile {
  std::string_view name;  // without folder and ending: "core_v1"
  std::string_view text;  // REQUIRES: outlives the schema, which points into it
};

// Files may use each other's types in any order. Failures name file and line.
Result<Schema> parse_schema(std::span<const SchemaFile> files);

}  // namespace proa::api
