#include <algorithm>

#include "api/object/view.h"
#include "apiserver/front/fairness/flow_control.h"
#include "apiserver/front/fairness/queues/allocation.h"
#include "base/check.h"
#include "base/log.h"
#include "base/text/seeded_hash.h"
#include "base/threads/guarded.h"

// What decides about requests: the objects of the cluster, and who borrows how many seats.

namespace proa::apiserver::fairness {
namespace flow_configuration {

const Log kLog{"fairness"};
// Upstream's borrowingAdjustmentPeriod.
constexpr Duration kAdjustEvery = std::chrono::seconds(10);
// Six writes of a status in a minute, as upstream: servers of different versions may disagree.
constexpr Duration kWriteEvery = std::chrono::seconds(10);
constexpr std::string_view kSchemas = "/registry/flowschemas/";

std::string name_of(std::string_view key) { return std::string(key.substr(key.rfind('/') + 1)); }

}  // namespace flow_configuration

void FlowControl::take(std::string_view key, const api::ObjectPtr& object) {
  std::string name = flow_configuration::name_of(key);
  if (!key.starts_with(flow_configuration::kSchemas)) {
    std::optional<LevelSpec> spec;
    if (object != nullptr) {
      Result<LevelSpec> read = read_level_spec(*object);
      if (read) {
        spec = std::move(*read);
      } else {
        flow_configuration::kLog.warn("ignoring a PriorityLevelConfiguration",
                                      {{"name", name}, {"error", read.status()}});
      }
    }
    MutexLock lock(mutex_);
    outdated_ = true;
    if (spec) {
      level_objects_.insert_or_assign(std::move(name), std::move(*spec));
    } else {
      level_objects_.erase(name);
    }
    return;
  }
  std::optional<Schema> schema;
  if (object != nullptr) {
    schema.emplace();
    schema->schema = read_flow_schema(*object);
    schema->stored = read_dangling_condition(*object);
  }
  MutexLock lock(mutex_);
  outdated_ = true;
  if (schema) {
    schema_objects_.insert_or_assign(std::move(name), std::move(*schema));
  } else {
    schema_objects_.erase(name);
  }
}

std::shared_ptr<const FlowControl::Schemas> FlowControl::current_schemas() {
  std::shared_ptr<Follower> follower;
  {
    MutexLock lock(mutex_);
    follower = follower_;
  }
  if (follower != nullptr) follower->read([] {});
  Calls calls;
  std::shared_ptr<const Schemas> schemas;
  {
    MutexLock lock(mutex_);
    if (outdated_) rebuild(clock_.steady(), calls);
    schemas = schemas_;
  }
  call(calls);
  return schemas;
}

void FlowControl::rebuild(Steady now, Calls& calls) {
  outdated_ = false;
  rebuild_levels(now);
  adjust(now, calls);
  rebuild_schemas();
  find_statuses();
  if (statuses_.empty()) return;
  woken_ = true;
  changed_.notify_all();
}

void FlowControl::rebuild_levels(Steady now) {
  std::map<std::string, LevelSpec, std::less<>> wanted = level_objects_;
  wanted.try_emplace(std::string(kExemptLevel), mandatory_exempt_level());
  wanted.try_emplace(std::string(kCatchAllLevel), mandatory_catch_all_level());
  for (auto level = levels_.begin(); level != levels_.end();) {
    level->second->quiescing = !wanted.contains(level->first);
    const bool gone = level->second->quiescing && level->second->queues.idle();
    level = gone ? levels_.erase(level) : std::next(level);
  }
  for (const auto& [name, spec] : wanted) {
    std::shared_ptr<Level>& level = levels_[name];
    if (level == nullptr) level = std::make_shared<Level>(spec, now);
    level->spec = spec;
  }
  // Also of those that are not wanted any more: so they become idle.
  int64_t shares = 0;
  for (const auto& [name, level] : levels_) shares += level->spec.shares;
  for (const auto& [name, level] : levels_) level->limits = limits_of(level->spec, seats_, shares);
}

void FlowControl::adjust_if_due(Steady now, Calls& calls) {
  if (now >= next_adjustment_) adjust(now, calls);
}

void FlowControl::adjust(Steady now, Calls& calls) {
  // Nobody counts the periods in which there were no requests.
  int64_t idle_periods = 0;
  if (now > next_adjustment_ && next_adjustment_ != Steady{})
    idle_periods = (now - next_adjustment_) / flow_configuration::kAdjustEvery;
  next_adjustment_ = now + flow_configuration::kAdjustEvery;
  std::vector<Borrower> borrowers;
  for (const auto& [name, level] : levels_) {
    release_due(*level, now, calls);  // seats that nobody has noticed to be free are no demand
    level->demand.add(level->queues.demand().take(now));
    if (level->queues.idle()) level->demand.add_idle(idle_periods);
    borrowers.push_back({.exempt = level->spec.exempt(),
                         .nominal = level->limits.nominal,
                         .lower = level->limits.lower,
                         .upper = level->limits.upper,
                         .high_watermark = level->demand.high_watermark,
                         .smoothed = level->demand.smoothed});
  }
  const Allocation made = allocate_seats(borrowers);
  fair_fraction_ = made.fair_fraction;
  size_t next = 0;
  for (const auto& [name, level] : levels_) {
    const Allocation::Share& share = made.shares[next++];
    level->target = share.target;
    QueueSet::Dispatched dispatched;
    const Result<void> configured =
        level->queues.configure(level->spec.queues, share.seats, now, dispatched);
    CHECK(configured.ok());  // read_level_spec() checked it
    note_dispatched(dispatched, nullptr, now, calls);
  }
}

void FlowControl::rebuild_schemas() {
  auto made = std::make_shared<Schemas>();
  for (const auto& [name, object] : schema_objects_) {
    if (level_objects_.contains(object.schema.level))
      made->flows.push_back(make_flow(object.schema));
  }
  std::ranges::sort(made->flows, [](const FlowPtr& one, const FlowPtr& other) {
    return precedes(one->schema, other->schema);
  });
  const auto find = [&](std::string_view name) {
    return std::ranges::find_if(made->flows,
                                [&](const FlowPtr& flow) { return flow->schema.name == name; });
  };
  if (find(kExemptLevel) == made->flows.end())
    made->flows.insert(made->flows.begin(), make_flow(mandatory_exempt_schema()));
  if (find(kCatchAllLevel) == made->flows.end())
    made->flows.push_back(make_flow(mandatory_catch_all_schema()));
  // For requests that no schema matches.
  made->catch_all = *find(kCatchAllLevel);
  schemas_ = std::move(made);
  std::erase_if(flow_metrics_, [](const auto& one) { return one.second.use_count() == 1; });
}

FlowPtr FlowControl::make_flow(const FlowSchema& schema) {
  const std::shared_ptr<Level>& level = levels_.find(schema.level)->second;
  std::shared_ptr<FlowMetrics>& metrics = flow_metrics_[{schema.level, schema.name}];
  if (metrics == nullptr) {
    metrics = std::make_shared<FlowMetrics>();
    metrics->level = schema.level;
    metrics->schema = schema.name;
  }
  return std::make_shared<const Flow>(Flow{.schema = schema,
                                           .hash = seeded_hash(schema.name),
                                           .level_uid = level->spec.uid,
                                           .level = level,
                                           .metrics = metrics});
}

void FlowControl::find_statuses() {
  statuses_.clear();
  for (const auto& [name, object] : schema_objects_) {
    DanglingStatus wanted{.schema = name,
                          .level = object.schema.level,
                          .dangling = !level_objects_.contains(object.schema.level)};
    if (object.stored != wanted.condition()) statuses_.push_back(std::move(wanted));
  }
}

std::vector<DanglingStatus> FlowControl::take_statuses() {
  std::vector<DanglingStatus> statuses;
  const Steady now = clock_.steady();
  write_again_.reset();
  std::erase_if(written_, [&](const auto& one) {
    return one.second + flow_configuration::kWriteEvery <= now;
  });
  for (const DanglingStatus& status : statuses_) {
    const auto last = written_.find(status.schema);
    if (last == written_.end()) {
      statuses.push_back(status);
      written_.emplace(status.schema, now);
    } else if (const Steady again = last->second + flow_configuration::kWriteEvery;
               !write_again_ || again < *write_again_) {
      write_again_ = again;
    }
  }
  return statuses;
}

void FlowControl::write_statuses() {
  if (!write_status_) return;
  std::vector<DanglingStatus> statuses;
  {
    MutexLock lock(mutex_);
    if (writing_) return;  // looks again when it has ended
    statuses = take_statuses();
    if (statuses.empty()) return;
    writing_ = true;
  }
  const bool taken = pool_->submit([weak = weak_from_this(), statuses = std::move(statuses)] {
    if (const auto self = weak.lock()) self->write(statuses);
  });
  if (taken) return;
  MutexLock lock(mutex_);
  writing_ = false;
  write_again_ = clock_.steady() + flow_configuration::kWriteEvery;
}

void FlowControl::write(const std::vector<DanglingStatus>& statuses) {
  for (const DanglingStatus& status : statuses) {
    {
      MutexLock lock(mutex_);
      if (stopped_) return;
    }
    const Result<void> written = guarded([&] { return write_status_(status); });
    // Deleted meanwhile: nothing to say.
    if (written || written.is(Reason::kNotFound)) continue;
    flow_configuration::kLog.warn("writing the status of a FlowSchema failed",
                                  {{"name", status.schema}, {"error", written.status()}});
  }
  MutexLock lock(mutex_);
  writing_ = false;
  woken_ = true;
  changed_.notify_all();
}

}  // namespace proa::apiserver::fairness
