#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "json/value.h"

namespace proa::json {

// YAML as sigs.k8s.io/yaml prints it, byte for byte: blocks, keys in go-yaml's order (numbers in
// them by their value), strings quoted only where they would be read as something else, long lines
// folded at 80 columns. Nullopt if it is longer than `max_bytes`: indentation can multiply nested
// documents.
std::optional<std::string> print_yaml(const Value& value, size_t max_bytes);

}  // namespace proa::json
