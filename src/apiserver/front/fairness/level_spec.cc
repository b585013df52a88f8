#include "apiserver/front/fairness/level_spec.h"

#include <algorithm>
#include <cmath>

#include "api/object/view.h"

namespace proa::apiserver::fairness {
namespace level_spec {

using api::View;
using Kind = QueueOptions::Kind;

Status unusable(std::string_view why) { return {Reason::kInvalid, std::string(why)}; }

int number(View view, int64_t fallback = 0) { return static_cast<int>(view.integer(fallback)); }

// At most `most`: a percentage of borrowed seats may be any number.
int percent_of(int percent, int seats, int most) {
  const double share = std::round(static_cast<double>(seats) * percent / 100);
  return static_cast<int>(std::min<double>(share, most));
}

Result<void> read_limited(View limited, LevelSpec& level) {
  level.shares = number(limited["nominalConcurrencyShares"]);
  level.lendable_percent = number(limited["lendablePercent"]);
  const View borrowing = limited["borrowingLimitPercent"];
  if (borrowing) level.borrowing_percent = number(borrowing);
  const View response = limited["limitResponse"];
  const View queuing = response["queuing"];
  if ((response["type"].text() == "Reject") != !queuing.exists())
    return unusable("broken union structure for limit response");
  if (!queuing) return {};
  level.queues = {.kind = Kind::kQueue,
                  .queues = number(queuing["queues"]),
                  .hand_size = number(queuing["handSize"]),
                  .queue_length_limit = number(queuing["queueLengthLimit"])};
  TRY(Dealer::make(level.queues.queues, level.queues.hand_size));
  return {};
}

}  // namespace level_spec

Result<LevelSpec> read_level_spec(const api::Object& object) {
  const json::Document document = TRY(object.document());
  const api::View root(document.root());
  const api::View spec = root["spec"];
  LevelSpec level;
  level.name = object.metadata().name;
  level.uid = object.metadata().uid;
  const bool exempt = spec["type"].text() == "Exempt";
  if (exempt != (level.name == kExemptLevel))
    return level_spec::unusable("non-alignment between name and type");
  const api::View limited = spec["limited"];
  if (exempt == limited.exists())
    return level_spec::unusable("broken union structure at the top, for Limited");
  if (!exempt) {
    TRY(level_spec::read_limited(limited, level));
    return level;
  }
  level.queues.kind = QueueOptions::Kind::kExempt;
  const api::View own = spec["exempt"];
  level.shares = level_spec::number(own["nominalConcurrencyShares"]);
  level.lendable_percent = level_spec::number(own["lendablePercent"]);
  return level;
}

LevelSpec mandatory_exempt_level() {
  LevelSpec level;
  level.name = kExemptLevel;
  level.queues.kind = QueueOptions::Kind::kExempt;
  return level;
}

LevelSpec mandatory_catch_all_level() {
  LevelSpec level;
  level.name = kCatchAllLevel;
  level.shares = 5;
  return level;
}

LevelLimits limits_of(const LevelSpec& level, int server_seats, int64_t all_shares) {
  // Rounded up, as upstream: the sum may exceed the server's seats a little.
  const double share = all_shares == 0 ? 0
                                       : static_cast<double>(server_seats) * level.shares /
                                             static_cast<double>(all_shares);
  LevelLimits limits;
  limits.nominal = static_cast<int>(std::ceil(share));
  const int lendable =
      level_spec::percent_of(level.lendable_percent, limits.nominal, limits.nominal);
  const int borrowed =
      level.borrowing_percent
          ? level_spec::percent_of(*level.borrowing_percent, limits.nominal, server_seats)
          : server_seats;
  limits.lower = limits.nominal - lendable;
  limits.upper = limits.nominal + borrowed;
  limits.initial = limits.nominal - lendable / 2;
  if (level.queues.kind == QueueOptions::Kind::kQueue) {
    // Upstream's priorityLevelMaxSeatsPercent: a request must not take a whole level.
    constexpr double kMostOfLevel = 0.15;
    limits.max_seats =
        std::max(1, std::min(static_cast<int>(std::ceil(limits.nominal * kMostOfLevel)),
                             limits.nominal / level.queues.hand_size));
  }
  return limits;
}

}  // namespace proa::apiserver::fairness
