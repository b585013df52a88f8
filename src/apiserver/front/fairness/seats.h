#pragma once

#include <cstdint>
#include <optional>

#include "apiserver/access/authz/authorizer.h"
#include "apiserver/front/fairness/queues/work.h"
#include "apiserver/request/options.h"

namespace proa::apiserver::fairness {

// How much there is of a resource, as far as that was looked at.
struct ObjectFigures {
  int64_t objects = 0;  // that were looked at
  bool more = false;    // there are others
  int64_t average_bytes = 0;
};

// Whether the seats of a request depend on what is stored, as those of lists do, or on how many
// watches would see its event.
enum class CostKind : uint8_t { kFixed, kList, kChange };
CostKind cost_kind(const Attributes& request, const ListOptions* options);

// Upstream's estimates, with SizeBasedListCostEstimate: a seat for 100 kB of a list; of lists from
// memory ten seats at most, since they are sent in parts. `max_seats`: of the level; 0: no limit.
// `options`: null if they are malformed: that costs the most, as upstream. `figures`: nullopt if
// the resource is not stored here.
WorkEstimate estimate_list(const Attributes& request, const ListOptions* options,
                           const std::optional<ObjectFigures>& figures, int max_seats);
// `watches`: that are interested in the event. Ten of them take a seat for 5 ms.
WorkEstimate estimate_change(int64_t watches, int max_seats);

}  // namespace proa::apiserver::fairness
