#pragma once

#include <memory>
#include <unordered_map>

#include "scheduler/cycle/evaluation.h"

namespace proa::scheduler {

// The Evaluations of the most recently used pod shapes.
class Evaluations {
 public:
  // Everything outlives it.
  Evaluations(Cluster& cluster, const Nominations& nominations)
      : cluster_(cluster), nominations_(nominations) {}

  // An Evaluation that is updated for that pod. Valid until the next call.
  Evaluation& of(const Profile& profile, const Pod& pod);

 private:
  struct Kept {
    std::unique_ptr<Evaluation> evaluation;
    ShapePtr shape;  // keeps the address, which is the key, in use
    uint64_t used = 0;
  };

  void make_room();

  Cluster& cluster_;
  const Nominations& nominations_;
  std::unordered_map<const PodShape*, Kept> kept_;
  std::unique_ptr<Evaluation> passing_;  // for shapes that cannot be reused
  uint64_t uses_ = 0;
};

}  // namespace proa::scheduler
