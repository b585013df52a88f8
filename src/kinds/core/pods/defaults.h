#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// Defaults that depend on other fields; constant defaults are in schema/.
std::span<const TypeDefaults> type_defaults();

// Whether an image reference has the tag "latest", explicitly or by default.
bool is_latest_image(std::string_view image);

}  // namespace proa::kinds::pods
