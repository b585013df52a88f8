#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

KindRules custom_resource_definition_rules();

// Removed by the controller that removes the objects of the kind.
inline constexpr std::string_view kDefinitionFinalizer =
    "customresourcecleanup.apiextensions.k8s.io";
// Part of the first deletion of a definition: its objects go first, and there are no new ones from
// now on.
void prepare_definition_deletion(api::Edit object, Time now);

}  // namespace proa::kinds
