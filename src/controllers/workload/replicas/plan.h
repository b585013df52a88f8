#pragma once

#include <span>
#include <vector>

#include "api/object/object.h"
#include "base/time.h"

namespace proa::controllers::replicas {

// No more pods are made or removed at once; the rest follows when the caches know of these. As
// upstream's BurstReplicas.
inline constexpr int64_t kBurst = 500;

// How many pods to make, or, when it is negative, to remove.
int64_t missing_replicas(int64_t wanted, size_t active);

// Those `count` of the pods that go first. Of two that are alike otherwise, the one goes that
// shares its node with more of `related`: the pods of all sets that serve the same purpose.
std::vector<api::ObjectPtr> choose_to_remove(std::span<const api::ObjectPtr> active,
                                             std::span<const api::ObjectPtr> related, size_t count,
                                             Time now);

}  // namespace proa::controllers::replicas
