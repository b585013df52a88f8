#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/object/object.h"
#include "apiserver/front/fairness/queues/queue_set.h"
#include "base/result.h"

namespace proa::apiserver::fairness {

constexpr std::string_view kExemptLevel = "exempt";
constexpr std::string_view kCatchAllLevel = "catch-all";

// A PriorityLevelConfiguration.
struct LevelSpec {
  std::string name;
  std::string uid;
  QueueOptions queues;
  int shares = 0;
  int lendable_percent = 0;
  std::optional<int> borrowing_percent;  // nullopt: without limit

  bool exempt() const { return queues.kind == QueueOptions::Kind::kExempt; }
};

// Fails if it cannot be used: then it is treated as if it did not exist, as upstream.
Result<LevelSpec> read_level_spec(const api::Object& object);

// The levels that are used where there is no such object.
LevelSpec mandatory_exempt_level();
LevelSpec mandatory_catch_all_level();

struct LevelLimits {
  int nominal = 0;
  int lower = 0;  // what is never lent
  int upper = 0;  // the nominal seats and what may be borrowed
  int initial = 0;
  // What one request may use at most; 0: without limit of the level.
  int max_seats = 0;

  bool operator==(const LevelLimits&) const = default;
};

// The seats of a level, of `server_seats` that are divided by shares.
LevelLimits limits_of(const LevelSpec& level, int server_seats, int64_t all_shares);

}  // namespace proa::apiserver::fairness
