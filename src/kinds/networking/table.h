#pragma once

#include <span>

#include "kinds/rules.h"

namespace proa::kinds {

// How traffic finds its way, and what nodes tell each other: groups networking.k8s.io,
// discovery.k8s.io, coordination.k8s.io, node.k8s.io and events.k8s.io.
std::span<const KindRules> networking_rules();
std::span<const TypeDefaults> networking_type_defaults();

}  // namespace proa::kinds
