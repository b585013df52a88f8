#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/front/fairness/dangling.h"
#include "apiserver/front/fairness/metrics.h"
#include "apiserver/front/fairness/object_figures.h"
#include "apiserver/front/fairness/ticket.h"
#include "apiserver/front/fairness/watch_counts.h"
#include "apiserver/objects/follower.h"
#include "base/clock.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"

namespace proa::apiserver::fairness {

// Fails if it should be tried again.
using WriteStatus = std::function<Result<void>(const DanglingStatus&)>;

// Priority and fairness: decides which requests execute now, which wait, and which are rejected, by
// the FlowSchemas and PriorityLevelConfigurations of the cluster. These are followed without delay:
// a request is judged by what was stored before it. One lock guards the requests of all levels, for
// less than a microsecond; a thread wakes when a request has waited for too long, and never
// otherwise. Thread-safe. Tickets may outlive the server that stopped it.
class FlowControl : public std::enable_shared_from_this<FlowControl> {
 public:
  // `seats`: of the whole server. REQUIRES: store and clock outlive stop().
  FlowControl(store::Store& store, Clock& clock, int seats);
  ~FlowControl();

  // Starts its thread. It writes the statuses of FlowSchemas, too, on the pool: webhooks may hold
  // such a write for long. REQUIRES: the pool takes no work after stop().
  void run(WriteStatus write_status, WorkerPool& pool) EXCLUDES(mutex_);
  // Ends the thread and unsubscribes from the store. Waiting requests are dropped.
  void stop() EXCLUDES(mutex_);

  struct Question {
    const Attributes& request;
    std::string_view path = {};
    const ListOptions* options = nullptr;     // of list and watch; null: malformed
    const api::Resource* resource = nullptr;  // null: not served here
  };
  // Finds flow, level and cost.
  TicketPtr classify(const Question& question) EXCLUDES(mutex_);
  // The flow alone, for answers that need no seat.
  FlowPtr flow_of(const Attributes& request) EXCLUDES(mutex_);

  enum class Decision : uint8_t { kExecutes, kWaits, kRejected };
  // `patience`: how long it waits at most.
  Decision start(Ticket& ticket, Duration patience) EXCLUDES(mutex_);
  // For a ticket that waits. If it still does, `decided` is called once, on any thread: whether it
  // executes, or has waited for too long; never if it is abandoned before.
  Decision await(Ticket& ticket, std::function<void(bool)> decided) EXCLUDES(mutex_);
  // It frees its seats at that time, if it has not before: its client reads too slowly.
  void free_seats_after(Ticket& ticket, Duration time) EXCLUDES(mutex_);
  // Seconds after which a rejected request should come again.
  int64_t retry_after(const Ticket& ticket) const EXCLUDES(mutex_);

  WatchCounts& watches() { return *watches_; }
  bool has_many(const api::Resource& resource);

  void write_metrics(MetricsText& text) const EXCLUDES(mutex_);
  // Upstream's /debug/api_priority_and_fairness/.
  std::string dump_levels() const EXCLUDES(mutex_);
  std::string dump_queues() const EXCLUDES(mutex_);
  std::string dump_requests(bool details) const EXCLUDES(mutex_);

 private:
  friend class Ticket;
  using Calls = std::vector<std::pair<std::function<void(bool)>, bool>>;
  struct Schema {
    FlowSchema schema;
    DanglingCondition stored;
  };
  struct Schemas {
    std::vector<FlowPtr> flows;
    FlowPtr catch_all;
  };

  void take(std::string_view key, const api::ObjectPtr& object) EXCLUDES(mutex_);
  // The schemas of everything that was stored before.
  std::shared_ptr<const Schemas> current_schemas() EXCLUDES(mutex_);
  void leave(Ticket& ticket) EXCLUDES(mutex_);
  bool abandon(Ticket& ticket) EXCLUDES(mutex_);
  std::function<void(bool)> take_out(Ticket& ticket, Calls& calls) REQUIRES(mutex_);
  // What was dispatched: their functions are called once the lock is released.
  void note_dispatched(const QueueSet::Dispatched& dispatched, const Ticket* own, Steady now,
                       Calls& calls) REQUIRES(mutex_);
  void note_left(Ticket& ticket, Steady now) REQUIRES(mutex_);
  void note_blocked(const Level& level) REQUIRES(mutex_);
  // A level that is not wanted any more goes with its last request.
  void note_idle(const Level& level) REQUIRES(mutex_);
  void forget_due(Ticket& ticket) REQUIRES(mutex_);
  void reject(Ticket& ticket, Rejection why, Steady now) REQUIRES(mutex_);
  void release_due(Level& level, Steady now, Calls& calls) REQUIRES(mutex_);
  void rebuild(Steady now, Calls& calls) REQUIRES(mutex_);
  void rebuild_levels(Steady now) REQUIRES(mutex_);
  void rebuild_schemas() REQUIRES(mutex_);
  FlowPtr make_flow(const FlowSchema& schema) REQUIRES(mutex_);
  void find_statuses() REQUIRES(mutex_);
  void adjust_if_due(Steady now, Calls& calls) REQUIRES(mutex_);
  void adjust(Steady now, Calls& calls) REQUIRES(mutex_);
  // When the thread has something to do; nullopt: not before it is woken.
  std::optional<Steady> next_wake() const REQUIRES(mutex_);
  void wake_for(Steady time) REQUIRES(mutex_);
  void work() EXCLUDES(mutex_);
  // False: stopped.
  bool await_work() EXCLUDES(mutex_);
  void do_due() EXCLUDES(mutex_);
  void end_waits(Steady now, Calls& calls) REQUIRES(mutex_);
  // What may be written now, one time after the other.
  std::vector<DanglingStatus> take_statuses() REQUIRES(mutex_);
  void write_statuses() EXCLUDES(mutex_);
  void write(const std::vector<DanglingStatus>& statuses) EXCLUDES(mutex_);
  static void call(Calls& calls);

  Clock& clock_;
  const int seats_;
  ObjectSampler sampler_;
  const std::shared_ptr<WatchCounts> watches_ = std::make_shared<WatchCounts>();
  mutable Mutex mutex_;
  CondVar changed_;
  FairnessMetrics metrics_;
  std::map<std::string, Schema, std::less<>> schema_objects_ GUARDED_BY(mutex_);
  std::map<std::string, LevelSpec, std::less<>> level_objects_ GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Level>, std::less<>> levels_ GUARDED_BY(mutex_);
  std::map<std::pair<std::string, std::string>, std::shared_ptr<FlowMetrics>> flow_metrics_
      GUARDED_BY(mutex_);
  std::shared_ptr<const Schemas> schemas_ GUARDED_BY(mutex_);
  bool outdated_ GUARDED_BY(mutex_) = true;
  double fair_fraction_ GUARDED_BY(mutex_) = 0;
  Steady next_adjustment_ GUARDED_BY(mutex_){};
  std::multimap<Steady, Ticket*> due_ GUARDED_BY(mutex_);  // that wait, or hold seats too long
  // Of the thread.
  WriteStatus write_status_;    // null: they are not written
  WorkerPool* pool_ = nullptr;  // that writes; not null while the thread runs
  bool stopped_ GUARDED_BY(mutex_) = false;
  bool woken_ GUARDED_BY(mutex_) = false;
  std::optional<Steady> sleeps_until_ GUARDED_BY(mutex_);
  std::vector<DanglingStatus> statuses_ GUARDED_BY(mutex_);   // to write
  std::map<std::string, Steady> written_ GUARDED_BY(mutex_);  // when, by schema
  std::optional<Steady> write_again_ GUARDED_BY(mutex_);
  bool writing_ GUARDED_BY(mutex_) = false;                // a task on the pool
  std::shared_ptr<Follower> follower_ GUARDED_BY(mutex_);  // null once stopped
  std::jthread thread_;
};

}  // namespace proa::apiserver::fairness
