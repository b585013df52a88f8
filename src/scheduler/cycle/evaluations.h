#pragma once

#include <memory>
#include <unordered_map>

#include "scheduler/cycle/evaluation.h"

namespace proa::scheduler {

// What was worked out for shapes of pods, the ones that were asked for last.
class Evaluations {
 public:
  // Everything outlives it.
  Evaluations(Cluster& cluster, const Nominations& nominations)
      : cluster_(cluster), nominations_(nominations) {}

  // Up to date for that pod. Valid until the next call.
  Evaluation& of(const Profile& profile, const Pod& pod);

 private:
  struct Kept {
    std::unique_ptr<Evaluation> evaluation;
    ShapePtr shape;  // so that its address stays its own
    uint64_t used = 0;
  };

  void make_room();

  Cluster& cluster_;
  const Nominations& nominations_;
  std::unordered_map<const PodShape*, Kept> kept_;
  std::unique_ptr<Evaluation> passing_;  // of a shape that nothing can be kept for
  uint64_t uses_ = 0;
};

}  // namespace proa::scheduler
