#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/object/names.h"
#include "api/object/object.h"
#include "base/time.h"

namespace proa::controllers {

enum class PodPhase : uint8_t { kPending, kUnknown, kRunning, kSucceeded, kFailed };

// What controllers read of pods, once per version of a pod.
struct PodFacts {
  PodPhase phase = PodPhase::kPending;
  bool being_deleted = false;
  api::NodeName node = {};                         // spec.nodeName
  bool ready = false;                              // status of the Ready condition
  std::optional<Time> ready_since = std::nullopt;  // lastTransitionTime of the Ready condition
  Time created{};
  int64_t restarts = 0;       // maximum over its containers
  int64_t deletion_cost = 0;  // controller.kubernetes.io/pod-deletion-cost
  std::string address = {};   // status.podIP

  bool finished() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }
  // Neither finished nor being deleted: counts as a replica.
  bool active() const { return !finished() && !being_deleted; }
  // Ready for at least that long (minReadySeconds).
  bool available(int64_t min_ready_seconds, Time now) const;
  // Time until it is available, if it stays ready; nullopt if it already is, or is not ready.
  std::optional<Duration> available_in(int64_t min_ready_seconds, Time now) const;
};

const PodFacts& pod_facts(const api::Object& pod);
api::PodKey pod_key(const api::Object& pod);

// Time until the next ready pod becomes available; zero if there is none.
Duration next_available(std::span<const api::ObjectPtr> pods, int64_t min_ready_seconds, Time now);

// Whether `a` is deleted before `b`, in upstream's order (ActivePodsWithRanks). `rank_a`, `rank_b`:
// number of the owner's pods on its node.
bool goes_before(const PodFacts& a, size_t rank_a, const PodFacts& b, size_t rank_b, Time now);

}  // namespace proa::controllers
