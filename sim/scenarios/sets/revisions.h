#pragma once

#include <string>
#include <vector>

#include "sim/scenarios/checks.h"

namespace proa::sim {

// ControllerRevisions of a set, by ascending number.
std::vector<api::ObjectPtr> revisions_of(Cluster& cluster, const api::Object& set);
// Checks that the newest one has a unique number and the set's template.
void check_newest_revision(const std::vector<api::ObjectPtr>& revisions, const api::Object& set,
                           Violations& violations);

// Applies the template of a random revision, as kubectl rollout undo does. `resource`:
// "statefulsets". False if there is none, or the server rejects it.
bool roll_back(Cluster& cluster, std::string_view resource, const api::Object& set);

}  // namespace proa::sim
