#pragma once

#include <optional>

#include "api/object/edit.h"
#include "base/time.h"
#include "controllers/lifecycle/definitions/names.h"

namespace proa::controllers::definitions {

struct StatusUpdate {
  bool changed = false;
  Names accepted;
};

// Brings the status of a definition up to date: its accepted names, and the conditions
// NamesAccepted, Established, NonStructuralSchema and KubernetesAPIApprovalPolicyConformant.
// Upstream has a controller for each.
StatusUpdate update_status(api::Edit definition, const DefinitionFacts& facts,
                           const NamesInUse& in_use, Time now);

// Its parts. Nullopt: there is no such condition, or it stays as it is.
std::optional<Condition> established_condition(api::View definition, bool names_accepted);
std::optional<Condition> schema_condition(api::View definition);
std::optional<Condition> approval_condition(api::View definition);

}  // namespace proa::controllers::definitions
