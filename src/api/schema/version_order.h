#pragma once

#include <string_view>

namespace proa::api {

// Whether version `a` precedes `b` by name: v10, v2, v1, v1beta2, v1beta1, v1alpha1, then other
// names in alphabetical order.
bool version_precedes(std::string_view a, std::string_view b);

}  // namespace proa::api
