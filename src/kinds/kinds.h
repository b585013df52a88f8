#pragma once

#include "api/schema/resource.h"
#include "kinds/rules.h"

// The registry of kinds.

namespace proa::kinds {

// Every kind that has rules of its own, by API group.
std::span<const KindRules> all_rules();

// The rules of a kind, by "apps/v1" and "ReplicaSet". A kind without rules of its own gets the
// ordinary ones.
const KindRules& find_rules(std::string_view group_version, std::string_view kind);
// The same by resource: a custom one has ordinary rules, also if it is called as a built-in kind.
const KindRules& find_rules(const api::Resource& resource);

// The defaults of all kinds, in the order of `all_rules`.
std::vector<TypeDefaults> all_type_defaults();

}  // namespace proa::kinds
