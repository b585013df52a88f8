#pragma once

#include "api/object/edit.h"
#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// The highest revision of the old sets.
int64_t last_old_revision(const Sets& sets);
// The revision before the highest; zero if there is none.
int64_t revision_before_last(const Sets& sets);

// Whether the annotation is not copied between a Deployment and its sets.
bool is_annotation_of_its_own(std::string_view name);

// Copies the Deployment's annotations to the newest set and sets its revision. The earlier revision
// of a set that was rolled back to is kept in its history. True if anything changed.
bool put_set_annotations(api::Edit set_metadata, api::View deployment_annotations,
                         int64_t revision);
// Sets the annotations with the Deployment's desired and maximum replicas; true if changed.
bool put_size_annotations(api::Edit set_metadata, const DeploymentFacts& deployment);

// Old sets without pods beyond the history limit, as positions.
std::vector<size_t> sets_to_forget(const DeploymentFacts& deployment, const Sets& sets);

}  // namespace proa::controllers::deployments
