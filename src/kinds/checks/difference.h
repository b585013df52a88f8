#pragma once

#include <string>

#include "api/object/view.h"

namespace proa::kinds {

// Semantic equality, as upstream's apiequality.Semantic: an empty list equals an absent one, 1000m
// equals 1.
bool semantically_equal(api::View a, api::View b);

// The differences for error messages, one line for each old and new value: "- [0].name: \"a\"".
std::string describe_difference(api::View before, api::View after);

}  // namespace proa::kinds
