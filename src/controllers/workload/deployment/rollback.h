#pragma once

#include "api/object/edit.h"
#include "controllers/workload/deployment/facts.h"

namespace proa::controllers::deployments {

// Back to the template of that set, and to what its annotations said then.
void take_template_of(api::Edit deployment, api::View set);
// The wish to go back is dealt with.
void clear_rollback(api::Edit deployment);

// What becomes of a wish to go back.
struct Rollback {
  std::optional<size_t> set = std::nullopt;  // whose template is taken; none: it stays as it is
  // What people are told.
  std::string_view reason;
  std::string message;
};
// REQUIRES: the deployment has such a wish. `name`: the deployment's.
Rollback plan_rollback(const DeploymentFacts& deployment, const Sets& sets, std::string_view name);

}  // namespace proa::controllers::deployments
