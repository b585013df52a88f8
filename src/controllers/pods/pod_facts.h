#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/object/object.h"
#include "base/time.h"

namespace proa::controllers {

enum class PodPhase : uint8_t { kPending, kUnknown, kRunning, kSucceeded, kFailed };

// What controllers ask of pods all the time, read once for each state of a pod.
struct PodFacts {
  PodPhase phase = PodPhase::kPending;
  bool being_deleted = false;
  std::string node = {};                           // where it runs, or is to run
  bool ready = false;                              // the condition Ready
  std::optional<Time> ready_since = std::nullopt;  // or not ready since
  Time created{};
  int64_t restarts = 0;       // of the container that was restarted most
  int64_t deletion_cost = 0;  // controller.kubernetes.io/pod-deletion-cost
  std::string address = {};   // status.podIP

  bool finished() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }
  // Neither finished nor on its way out: counts as a replica.
  bool active() const { return !finished() && !being_deleted; }
  // Ready for at least that long.
  bool available(int64_t min_ready_seconds, Time now) const;
  // When it will be, if it stays ready; nullopt when it is, or is not ready.
  std::optional<Duration> available_in(int64_t min_ready_seconds, Time now) const;
};

const PodFacts& pod_facts(const api::Object& pod);

// How long until the first of those that are ready becomes available; zero when none is to.
Duration next_available(std::span<const api::ObjectPtr> pods, int64_t min_ready_seconds, Time now);

// Whether `a` should go before `b`, as upstream ranks: those that do least, those that cost least.
// `rank_a`, `rank_b`: how many pods of the same owner share its node.
bool goes_before(const PodFacts& a, size_t rank_a, const PodFacts& b, size_t rank_b, Time now);

}  // namespace proa::controllers
