#pragma once

#include <optional>

#include "kinds/checks/fields.h"

// References to parts of the pod itself: for environment variables, and for files of volumes.

namespace proa::kinds::pods {

struct Subscripted {
  std::string_view path;
  std::string_view key;
};
// "metadata.labels['app']"; nothing where it has no such end.
std::optional<Subscripted> split_subscript(std::string_view text);

enum class SelectorUse : uint8_t { kEnvironment, kVolume };

// {apiVersion, fieldPath}: "metadata.labels['app']", "status.podIP".
void validate_field_selector(View selector, SelectorUse use, const Path& path, FieldErrors& errors);

// {containerName, resource, divisor}: "limits.cpu".
void validate_resource_selector(View selector, SelectorUse use, const Path& path,
                                FieldErrors& errors);

}  // namespace proa::kinds::pods
