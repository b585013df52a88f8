#pragma once

#include "kinds/rules.h"

namespace proa::kinds::pods {

// What is filled in where it depends on something else; constants stand in schema/.
std::span<const TypeDefaults> type_defaults();

// Whether a reference to an image means its latest version: "nginx", "nginx:latest".
bool is_latest_image(std::string_view image);

}  // namespace proa::kinds::pods
