#pragma once

#include <string>
#include <vector>

#include "sim/scenarios/checks.h"

namespace proa::sim {

// ControllerRevisions of a set, those with the lowest numbers first.
std::vector<api::ObjectPtr> revisions_of(Cluster& cluster, const api::Object& set);
// Of the template in its data.
std::string image_of_revision(const api::Object& revision);

// Gives the set the template of one of its revisions, as kubectl rollout undo does it. `resource`:
// "statefulsets". False when there is none, or the server does not take it.
bool roll_back(Cluster& cluster, std::string_view resource, const api::Object& set);

}  // namespace proa::sim
