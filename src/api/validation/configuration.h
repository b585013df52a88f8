#pragma once

#include <span>
#include <string_view>

#include "api/schema/schema.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// A kind of configuration: it is read from a file, and is in no API.
struct ConfigurationKind {
  std::string_view kind;
  // The accepted ones: all have the fields of the first.
  std::span<const std::string_view> versions;
};

// The schema of such kinds, from text in the language of schema/ that may use meta_v1. REQUIRES:
// `text` is correct; it outlives the program.
Schema configuration_schema(std::string_view text);

// Reads one from YAML or JSON. Unknown and duplicate fields are errors. Fails with upstream's
// messages, but where those repeat the whole text: it may have secrets. REQUIRES: the schema has
// the kind.
Result<json::Document> read_configuration(std::string_view text, const Schema& schema,
                                          const ConfigurationKind& wanted);

}  // namespace proa::api
