#pragma once

#include "kinds/pods/spec/checks.h"

// References to parts of the pod itself: for environment variables, and for files of volumes.

namespace proa::kinds::pods {

enum class SelectorUse : uint8_t { kEnvironment, kVolume };

// {apiVersion, fieldPath}: "metadata.labels['app']", "status.podIP".
void validate_field_selector(View selector, SelectorUse use, const Path& path, FieldErrors& errors);

// {containerName, resource, divisor}: "limits.cpu".
void validate_resource_selector(View selector, SelectorUse use, const Path& path,
                                FieldErrors& errors);

}  // namespace proa::kinds::pods
