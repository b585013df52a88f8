#pragma once

#include <string>

#include "api/object/view.h"

namespace proa::kinds {

// Whether two parts of a pod mean the same: an empty list is no list, 1000m are 1.
bool means_the_same(api::View a, api::View b);

// Where they differ, one line for each old and each new value, for messages: "- [0].name: \"a\"".
std::string describe_difference(api::View before, api::View after);

}  // namespace proa::kinds
