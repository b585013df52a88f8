#pragma once

#include <optional>

#include "api/object/view.h"
#include "api/schema/resource.h"
#include "base/time.h"

namespace proa::apiserver {

// How a deletion is graceful, as upstream's rest.BeforeDelete.
struct Grace {
  enum class Is : uint8_t {
    kNone,     // the kind has no grace period, or that of the object is over
    kGiven,    // the object is marked first
    kPending,  // it is already, and this deletion does not shorten its time: nothing is to be done
  };
  Is is = Is::kNone;
  int64_t seconds = 0;
  // The gracePeriodSeconds of the options that admission sees.
  std::optional<int64_t> shown;
};

// `requested`: gracePeriodSeconds of the options.
Grace decide_grace(api::View object, std::optional<int64_t> requested,
                   const api::Resource& resource);

// When a deletion ends that is already under way, and the seconds that it is said to last.
// REQUIRES: `grace` is shorter than before.
struct ShorterGrace {
  Time end;
  int64_t seconds;
};
ShorterGrace shorten_grace(api::View metadata, int64_t grace, Time now);

}  // namespace proa::apiserver
