#pragma once

#include "api/object/edit.h"
#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// Takes over the template and the annotations of that set.
void take_template_of(api::Edit deployment, api::View set);
// Removes the rollback request.
void clear_rollback(api::Edit deployment);

// The result of a rollback request.
struct Rollback {
  std::optional<size_t> set = std::nullopt;  // the set to roll back to; nullopt: none
  // For the event.
  std::string_view reason;
  std::string message;
};
// REQUIRES: the Deployment has a rollback request. `name`: of the Deployment.
Rollback plan_rollback(const DeploymentFacts& deployment, const Sets& sets, std::string_view name);

}  // namespace proa::controllers::deployments
