#pragma once

#include <optional>

#include "kinds/checks/fields.h"

// References to fields of the pod itself, in environment variables and downward API volumes.

namespace proa::kinds::pods {

struct Subscripted {
  std::string_view path;
  std::string_view key;
};
// Splits "metadata.labels['app']"; nullopt without a subscript.
std::optional<Subscripted> split_subscript(std::string_view text);

enum class SelectorUse : uint8_t { kEnvironment, kVolume };

// {apiVersion, fieldPath}: "metadata.labels['app']", "status.podIP".
void validate_field_selector(View selector, SelectorUse use, const Path& path, FieldErrors& errors);

// {containerName, resource, divisor}: "limits.cpu".
void validate_resource_selector(View selector, SelectorUse use, const Path& path,
                                FieldErrors& errors);

}  // namespace proa::kinds::pods
