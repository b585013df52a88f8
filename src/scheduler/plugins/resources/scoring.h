#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scheduler/framework/plugin.h"
#include "scheduler/model/node.h"
#include "scheduler/plugins/resources/resource_args.h"

// The arithmetic of scores by resources. Scores are whole numbers, and where upstream divides whole
// numbers, so does this: the results must be equal to the last digit.

namespace proa::scheduler {

// --- Of one resource: 0 to 100 for so much requested (with the pod) of so much. ---
// REQUIRES: capacity is more than zero.

inline int64_t least_allocated(int64_t requested, int64_t capacity) {
  return requested > capacity ? 0 : (capacity - requested) * kMaxScore / capacity;
}

// Pods that ask for nothing count with defaults, so more than all of it may be requested.
inline int64_t most_allocated(int64_t requested, int64_t capacity) {
  return (requested > capacity ? capacity : requested) * kMaxScore / capacity;
}

// A line with bends: level before its first point and behind its last.
// REQUIRES: there is a point; utilizations grow.
int64_t score_on_line(std::span<const ShapePoint> line, int64_t utilization);

// --- Of several ---

// How evenly the resources are used: 100 less their standard deviation, in percent. Fractions are
// from 0 to 1.
int64_t evenness(std::span<const double> fractions);

// One resource that counts for a score, for a pod that asks for `request` of it.
struct ScoredResource {
  enum class Kind : uint8_t {
    kScoredCpu,  // with the defaults for pods that ask for none
    kScoredMemory,
    kCpu,
    kMemory,
    kEphemeralStorage,
    kOther,
  };
  Kind kind = Kind::kOther;
  int64_t weight = 1;
  int64_t request = 0;
  std::string name = {};

  // Zero: the node has none, so it does not count.
  int64_t allocatable(const Node& node) const {
    const Resources& all = node.facts().allocatable;
    switch (kind) {
      case Kind::kScoredCpu:
      case Kind::kCpu:
        return all.milli_cpu;
      case Kind::kScoredMemory:
      case Kind::kMemory:
        return all.memory;
      case Kind::kEphemeralStorage:
        return all.ephemeral_storage;
      case Kind::kOther:
        break;
    }
    return all.other(name);
  }
  // Without the pod.
  int64_t allocated(const Node& node) const {
    switch (kind) {
      case Kind::kScoredCpu:
        return node.scored_milli_cpu();
      case Kind::kScoredMemory:
        return node.scored_memory();
      case Kind::kCpu:
        return node.requested().milli_cpu;
      case Kind::kMemory:
        return node.requested().memory;
      case Kind::kEphemeralStorage:
        return node.requested().ephemeral_storage;
      case Kind::kOther:
        break;
    }
    return node.requested().other(name);
  }
};

// Which resources count for a pod: devices that it does not ask for don't. `with_defaults`: cpu and
// memory are counted with the defaults for pods that ask for none.
std::vector<ScoredResource> scored_resources(std::span<const ResourceWeight> resources,
                                             const Resources& request, bool with_defaults);

// Scorers of NodeResourcesFit: the mean over the resources, by weight.
std::unique_ptr<NodeScorer> make_fit_scorer(const FitArgs& args, const Resources& request);

}  // namespace proa::scheduler
