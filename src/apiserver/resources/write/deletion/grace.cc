#include "apiserver/resources/write/deletion/grace.h"

#include <algorithm>

#include "kinds/kinds.h"

namespace proa::apiserver {
namespace grace {

// Negative seconds count as one.
int64_t at_least_one_if_negative(int64_t seconds) { return seconds < 0 ? 1 : seconds; }

int64_t seconds_of(api::View metadata) {
  return at_least_one_if_negative(metadata["deletionGracePeriodSeconds"].integer());
}

}  // namespace grace

Grace decide_grace(api::View object, std::optional<int64_t> requested,
                   const api::Resource& resource) {
  if (requested) requested = grace::at_least_one_if_negative(*requested);
  const auto grace_period = kinds::find_rules(resource).grace_period;
  if (grace_period == nullptr) return {.shown = requested};
  const api::View metadata = object["metadata"];
  if (!metadata["deletionTimestamp"].exists()) {
    const int64_t seconds = grace_period(object, requested);
    return {.is = Grace::Is::kGiven, .seconds = seconds, .shown = seconds};
  }
  const int64_t before = grace::seconds_of(metadata);
  if (before == 0) return {.shown = requested};
  if (!requested || *requested >= before) return {.is = Grace::Is::kPending, .shown = requested};
  return {.is = Grace::Is::kGiven, .seconds = *requested, .shown = requested};
}

ShorterGrace shorten_grace(api::View metadata, int64_t grace, Time now) {
  const Result<Time> stated = parse_time(metadata["deletionTimestamp"].text());
  // The grace period starts with the first deletion.
  const Time began = (stated ? *stated : now) - std::chrono::seconds(grace::seconds_of(metadata));
  const Time end = began + std::chrono::seconds(grace);
  if (end >= now) return {.end = end, .seconds = grace};
  // It is over, but whoever ends the pod still has to see that.
  return {.end = now, .seconds = std::min<int64_t>(grace, 1)};
}

}  // namespace proa::apiserver
