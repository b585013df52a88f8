#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "apiserver/front/fairness/queues/demand.h"
#include "apiserver/front/fairness/queues/shuffle_shard.h"
#include "apiserver/front/fairness/queues/work.h"

namespace proa::apiserver::fairness {

// A request in a QueueSet. Its owner keeps it in place, and takes it out before it is destroyed.
struct Queued {
  enum class State : uint8_t { kNew, kWaiting, kExecuting, kDone };

  WorkEstimate estimate;
  uint64_t flow = 0;  // the hash of its flow

  // Written by the set.
  State state = State::kNew;
  int queue = -1;  // -1: none
  SeatSeconds work;
  SeatSeconds arrival_r;
  Steady arrived{};
  Steady started{};
  std::list<Queued*>::iterator place{};
};

struct QueueOptions {
  enum class Kind : uint8_t { kExempt, kReject, kQueue };
  Kind kind = Kind::kReject;
  int queues = 0;
  int hand_size = 0;
  int queue_length_limit = 0;

  bool operator==(const QueueOptions&) const = default;
};

// Fair queuing of the requests of one level, by upstream's rules: R is the work that was done for
// each queue that had any, in seat-seconds. A queue's next request starts, virtually, where the one
// before ended; the request that ends first in that virtual world goes first. So a queue gets its
// share whatever others ask for, and what it does not use is not saved for later. Pure: time is
// passed in. Not thread-safe.
class QueueSet {
 public:
  using Dispatched = std::vector<Queued*>;
  enum class Outcome : uint8_t { kExecutes, kWaits, kQueueFull, kLimitReached };

  struct Queue {
    std::list<Queued*> waiting;
    std::list<Queued*> executing;
    SeatSeconds next_dispatch_r;
    int seats_in_use = 0;
    int waiting_initial_seats = 0;
    int waiting_max_seats = 0;
    SeatSeconds waiting_work;

    bool active() const { return !waiting.empty() || !executing.empty(); }
  };
  struct Totals {
    int waiting = 0;
    int executing = 0;
    int seats_in_use = 0;  // also of requests that have ended, whose events are being sent
    int seats_waiting = 0;
    uint64_t dispatched = 0;
    uint64_t rejected = 0;
    uint64_t timed_out = 0;
    uint64_t cancelled = 0;
    uint64_t epochs = 0;  // how often R was set back
  };
  // Of the last dispatch: R then, the virtual start of the request, and the range of virtual starts
  // over all queues with waiting requests; the same less the work in progress.
  struct DispatchFigures {
    SeatSeconds r, start, least, most, least_discounted, most_discounted;
  };

  explicit QueueSet(Steady now) : last_(now), demand_(now) {}

  // Fails for sizes that no dealer takes; nothing changes then. There may be millions of queues, of
  // which only those in use take memory. Queues in excess end when they are empty.
  Result<void> configure(const QueueOptions& options, int limit, Steady now,
                         Dispatched& dispatched);
  void set_limit(int limit, Steady now, Dispatched& dispatched);
  int limit() const { return limit_; }

  // Everything that may execute from now on is appended to `dispatched`, also `request` itself.
  Outcome start(Queued& request, Steady now, Dispatched& dispatched);
  // It has executed. Its final seats are in use for some time yet: see next_release().
  void finish(Queued& request, Steady now, Dispatched& dispatched);
  // It does not wait any longer. `timed_out`: for too long; otherwise its client is gone.
  void give_up(Queued& request, bool timed_out, Steady now, Dispatched& dispatched);
  // When seats of ended requests become free; call release() then.
  std::optional<Steady> next_release() const;
  void release(Steady now, Dispatched& dispatched);

  bool idle() const { return totals_.waiting == 0 && totals_.executing == 0; }
  const Totals& totals() const { return totals_; }
  Demand& demand() { return demand_; }
  SeatSeconds current_r() const { return r_; }
  const DispatchFigures& figures() const { return figures_; }
  // The request that is next but needs more seats than there are; null: none, when last tried.
  const Queued* blocked() const { return blocked_; }
  // The length of the queue that the last request entered, it included.
  size_t last_length() const { return last_length_; }
  // Those in use: the others are like new ones.
  const std::map<int, Queue>& queues() const { return queues_; }
  // How many there may be.
  int queue_count() const {
    return options_.kind == QueueOptions::Kind::kQueue ? options_.queues : 0;
  }
  // Without a queue.
  const std::list<Queued*>& executing() const { return executing_; }

 private:
  void advance(Steady now);
  void set_back();
  // False: nothing was due.
  bool free_due_seats(Steady now);
  // REQUIRES: the request waits or executes in one.
  Queue& queue_of(const Queued& request) { return queues_.at(request.queue); }
  const Queue* find_queue(int index) const;
  int choose_queue(uint64_t flow);
  void enqueue(Queued& request, Steady now);
  void leave_queue(Queued& request);
  void execute(Queued& request, Steady now);
  bool has_room(int seats) const;
  void dispatch_all(Steady now, Dispatched& dispatched);
  Queued* find_next();
  void bound_start(Queue& queue) const;
  void free_seats(int seats, int queue);
  void drop_if_unused(int index);
  void note_activity(int index, bool was_active);
  void update_demand(Steady now);

  QueueOptions options_;
  int limit_ = 0;
  std::optional<Dealer> dealer_;
  std::map<int, Queue> queues_;     // with requests, or seats of ended ones
  std::map<int, Queue*> nonempty_;  // of those, the ones with waiting requests
  std::list<Queued*> executing_;
  std::multimap<Steady, std::pair<int, int>> lingering_;  // seats and queue of ended requests
  int active_queues_ = 0;
  int queued_seats_ = 0;  // in use by requests with a queue
  SeatSeconds r_;
  Steady last_;
  int robin_ = 0;  // the queue of the last dispatch
  uint64_t enqueued_ = 0;
  const Queued* blocked_ = nullptr;
  size_t last_length_ = 0;
  Totals totals_;
  DispatchFigures figures_;
  Demand demand_;
};

}  // namespace proa::apiserver::fairness
