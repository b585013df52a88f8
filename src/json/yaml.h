#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/cost/budget.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::json {

struct YamlOptions {
  size_t max_size = size_t{64} << 20;
  size_t max_documents = 10'000;
  // How much anchors, aliases and merge keys (&name, *name, <<) may add, roughly in bytes of
  // memory: each alias can double the document.
  size_t max_alias_bytes = size_t{4} << 20;
  // Pays for the values and their memory, if it is not null.
  Budget* budget = nullptr;
  // If it is not null, duplicate keys are reported here instead of rejected, at most 100, and the
  // last one counts: `line 3: key "a" already set in map`, as go-yaml says it.
  std::vector<std::string>* duplicates = nullptr;
};

// YAML as sigs.k8s.io/yaml reads it: YAML 1.1 as go-yaml v2 resolves it (yes, no, on, off, y and n
// are booleans; 010 and 0o10 are octal; dates stay strings), merge keys (<<), non-string keys
// converted to strings. Duplicate keys, infinities and deep nesting are rejected. Failures are
// kBadRequest and name the line, or kRequestEntityTooLarge.

// Exactly one document; empty text is null.
Result<Document> parse_yaml(std::string_view text, const YamlOptions& options = {});
// All documents of a stream, between "---" lines; empty ones are null.
Result<std::vector<Document>> parse_yaml_stream(std::string_view text,
                                                const YamlOptions& options = {});

}  // namespace proa::json
