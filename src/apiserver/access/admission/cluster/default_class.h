#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apiserver/objects/reader.h"

namespace proa::apiserver {

// The name of the class of that resource which says by one of the annotations ("true") that it is
// the default. Of several the newest, of those that are equally old the first by name; empty where
// there is none.
Result<std::string> find_default_class(const ObjectReader& objects, std::string_view group,
                                       std::string_view resource,
                                       std::span<const std::string_view> annotations);

}  // namespace proa::apiserver
