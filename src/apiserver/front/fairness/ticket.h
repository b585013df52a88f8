#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/front/fairness/level_spec.h"
#include "apiserver/front/fairness/metrics.h"
#include "apiserver/front/fairness/queues/queue_set.h"
#include "apiserver/front/fairness/queues/retry_after.h"
#include "apiserver/front/fairness/schema.h"

namespace proa::apiserver::fairness {

class FlowControl;
class Ticket;
using TicketPtr = std::shared_ptr<Ticket>;

// A priority level and its requests. Guarded by FlowControl's lock.
struct Level {
  Level(LevelSpec wanted, Steady now) : spec(std::move(wanted)), queues(now) {}

  LevelSpec spec;
  QueueSet queues;
  LevelLimits limits;
  SmoothedDemand demand;
  double target = 0;
  RetryAfter retry_after;
  bool quiescing = false;  // not wanted any more: gone once it is idle
};

// A schema in use. Immutable, apart from the metrics, which FlowControl's lock guards.
struct Flow {
  FlowSchema schema;
  uint64_t hash = 0;      // of the name
  std::string level_uid;  // of its level, then
  std::shared_ptr<Level> level;
  std::shared_ptr<FlowMetrics> metrics;
};
using FlowPtr = std::shared_ptr<const Flow>;

// What dumps tell of a request: its texts in one allocation.
class RequestDetails {
 public:
  enum Field : size_t {
    kUser,
    kVerb,
    kPath,
    kNamespace,
    kName,
    kApiVersion,
    kResource,
    kSubresource
  };

  RequestDetails() = default;
  RequestDetails(const Attributes& request, std::string_view path);
  std::string_view get(Field field) const;

 private:
  std::string texts_;  // each ended by a zero byte
};

// A request on its way. When the last reference is dropped, it has executed or was given up.
class Ticket final : private Queued {
 public:
  // Use FlowControl::classify().
  Ticket(std::shared_ptr<FlowControl> control, FlowPtr chosen, WorkEstimate cost,
         RequestDetails details);
  ~Ticket();
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

  const std::string& schema_uid() const { return flow_->schema.uid; }
  const std::string& level_uid() const { return flow_->level_uid; }
  const WorkEstimate& estimated() const { return estimated_; }
  // The request has been executed; for a watch: it has begun. Once is enough.
  void leave();
  // The client is gone. False if the request does not wait any more.
  bool abandon();

 private:
  friend class FlowControl;

  const std::shared_ptr<FlowControl> control_;
  const FlowPtr flow_;
  const WorkEstimate estimated_;
  const RequestDetails details_;
  bool watch_ = false;
  int64_t watches_ = -1;  // that see its event; -1: it has none
  // Below: guarded by FlowControl's lock.
  std::function<void(bool)> decided_;  // while it waits
  std::optional<std::multimap<Steady, Ticket*>::iterator> due_;
};

}  // namespace proa::apiserver::fairness
