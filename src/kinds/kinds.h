#pragma once

#include "kinds/rules.h"

namespace proa::kinds {

// By "apps/v1" and "ReplicaSet"; a kind without rules of its own gets the ordinary ones.
const KindRules& find_rules(std::string_view group_version, std::string_view kind);

// Everything that schema/ can't say about defaults, in the order of the folders here.
std::vector<TypeDefaults> all_type_defaults();

}  // namespace proa::kinds
