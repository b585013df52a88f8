#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apiserver/objects/reader.h"

namespace proa::apiserver {

// Returns the name of the default class: one that has any of the annotations with value "true". If
// there are several, the newest, then the first by name. Empty if there is none.
Result<std::string> find_default_class(const ObjectReader& objects, std::string_view group,
                                       std::string_view resource,
                                       std::span<const std::string_view> annotations);

}  // namespace proa::apiserver
