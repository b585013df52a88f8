#pragma once

#include <string>
#include <vector>

#include "sim/scenarios/checks.h"

namespace proa::sim {

// ControllerRevisions of a set, those with the lowest numbers first.
std::vector<api::ObjectPtr> revisions_of(Cluster& cluster, const api::Object& set);
// That the newest one, which no other shares its number with, is that of the set's template.
void check_newest_revision(const std::vector<api::ObjectPtr>& revisions, const api::Object& set,
                           Complaints& complaints);

// Gives the set the template of one of its revisions, as kubectl rollout undo does it. `resource`:
// "statefulsets". False when there is none, or the server does not take it.
bool roll_back(Cluster& cluster, std::string_view resource, const api::Object& set);

}  // namespace proa::sim
