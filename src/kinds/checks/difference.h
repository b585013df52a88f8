#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/object/view.h"

namespace proa::kinds {

// Semantic equality, as upstream's apiequality.Semantic: an empty list equals an absent one, 1000m
// equals 1.
bool semantically_equal(api::View a, api::View b);

// The differences for error messages, as upstream: a diff of the lines of both values, which are of
// that type of group v1 ("PodSpec"). `only`: these fields; empty: all.
std::string describe_difference(api::View before, api::View after, std::string_view type,
                                std::span<const std::string_view> only = {});

}  // namespace proa::kinds
