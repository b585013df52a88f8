#pragma once

#include <string_view>

namespace proa::apiserver {

// Whether version `a` of a group goes before `b` where nothing else decides: v10, v2, v1, v1beta2,
// v1beta1, v1alpha1, and then names of other kinds by the alphabet.
bool goes_before(std::string_view a, std::string_view b);

}  // namespace proa::apiserver
