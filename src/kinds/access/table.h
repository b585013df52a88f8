#pragma once

#include <span>

#include "kinds/rules.h"

namespace proa::kinds {

// Who somebody is, what they may do, and how they share the server: groups
// rbac.authorization.k8s.io, authentication.k8s.io, authorization.k8s.io, certificates.k8s.io and
// flowcontrol.apiserver.k8s.io.
std::span<const KindRules> access_rules();
std::span<const TypeDefaults> access_type_defaults();

}  // namespace proa::kinds
