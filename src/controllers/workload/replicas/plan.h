#pragma once

#include <span>
#include <vector>

#include "api/object/object.h"
#include "base/time.h"

namespace proa::controllers::replicas {

// Maximum number of pods created or deleted per reconcile; upstream's BurstReplicas.
inline constexpr int64_t kBurst = 500;

// The number of pods to create; negative: to delete.
int64_t missing_replicas(int64_t wanted, size_t active);

// The `count` pods to delete. Among equal pods, the one that shares its node with more of `related`
// (pods of all sets of the same Deployment) is deleted first.
std::vector<api::ObjectPtr> choose_to_remove(std::span<const api::ObjectPtr> active,
                                             std::span<const api::ObjectPtr> related, size_t count,
                                             Time now);

}  // namespace proa::controllers::replicas
