#pragma once

#include <optional>
#include <string>
#include <vector>

#include "testkit/scheduler/oracle/oracle_world.h"

namespace proa::testkit::oracle {

// A volume of a pod that is a claim, by name or generated for the pod.
struct ClaimVolume {
  std::string claim = {};
  bool ephemeral = false;
};

// Nullopt for other volumes.
std::optional<ClaimVolume> claim_of(const Pod& pod, View volume);
// Why an ephemeral claim does not belong to the pod; empty if it does.
std::string not_made_for(const Pod& pod, View claim);
// The class of a claim or volume; empty if it has none.
std::string_view storage_class_of(View object);
std::string not_found(std::string_view kind, std::string_view name);

Prepared prepare_volume_restrictions(const Question& question);
Prepared prepare_volume_zone(const Question& question);

}  // namespace proa::testkit::oracle
