#pragma once

#include "api/object/edit.h"
#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// Of the old sets: the newest one comes after it.
int64_t last_old_revision(const Sets& sets);
// The one before the newest of all; zero when there is none.
int64_t revision_before_last(const Sets& sets);

// Whether a deployment and its sets have this annotation each for themselves.
bool is_annotation_of_its_own(std::string_view name);

// What the newest set's annotations are to say: what the deployment's say, and its revision. A set
// that had an earlier revision is one that was rolled back to, and remembers that. True when
// something changed.
bool put_set_annotations(api::Edit set_metadata, api::View deployment_annotations,
                         int64_t revision);
// How many pods the deployment asks for, and may have; true when something changed.
bool put_size_annotations(api::Edit set_metadata, const DeploymentFacts& deployment);

// Old sets without pods, beyond those that are kept to go back to; their places among all.
std::vector<size_t> sets_to_forget(const DeploymentFacts& deployment, const Sets& sets);

}  // namespace proa::controllers::deployments
