#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "apiserver/front/audit/backends/backend.h"
#include "apiserver/front/audit/backends/lane_options.h"
#include "base/clock.h"
#include "base/limits/log_limit.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"

namespace proa::apiserver::audit {

// The way of events to one backend: a bounded queue, and a thread that makes their texts and writes
// them in order. push() costs a lock and a place in the queue.
//
// What it may hold: in mode batch `buffer_events` and `queue_bytes`, beyond which events are
// dropped and counted. In the blocking modes requests wait when it is full; only what was begun
// before adds events, and beyond twice the limits those are dropped, too.
class Lane {
 public:
  // Called once, from any thread: whether the event was recorded.
  using Done = std::function<void(bool)>;

  // All references outlive it.
  Lane(std::unique_ptr<Backend> backend, const LaneOptions& options, Clock& clock,
       AuditMetrics& metrics);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  Mode mode() const { return options_.mode; }
  // Whether new requests should wait. False in mode batch.
  bool is_full() const EXCLUDES(mutex_);
  // Never blocks. Without an event, `done` is called when all events before it are written.
  void push(EventPtr event, Done done = nullptr) EXCLUDES(mutex_);
  // Writes what is queued, for a limited time, and ends. Further events are lost.
  void stop() EXCLUDES(mutex_);

 private:
  struct Item {
    EventPtr event;
    Done done;
    size_t bytes = 0;
  };
  using Batch = std::vector<Item>;
  static constexpr size_t kNever = SIZE_MAX;

  bool has_room(const Item& item) const REQUIRES(mutex_);
  // Takes it, unless there is no room.
  bool enqueue(Item& item) EXCLUDES(mutex_);
  void drop(const Item& item);
  void run() EXCLUDES(mutex_);
  // Waits for events; none: stopped.
  Batch collect() EXCLUDES(mutex_);
  void gather() REQUIRES(mutex_);
  void take_into(Batch& batch) REQUIRES(mutex_);
  void wait_for_turn() EXCLUDES(mutex_);
  void write_somewhere(Batch batch) EXCLUDES(mutex_);
  void write(Batch& batch);
  void write_part(Batch& batch, std::vector<std::string>& texts, const std::vector<size_t>& whose);
  // Nullopt: it is too large.
  std::optional<std::string> text_of(const Event& event) const;

  const std::unique_ptr<Backend> backend_;
  const LaneOptions options_;
  Clock& clock_;
  AuditMetrics& metrics_;
  LogLimit drops_logged_;
  LogLimit failures_logged_;
  mutable Mutex mutex_;
  CondVar arrived_;   // the thread waits for events, time, or a free writer
  CondVar finished_;  // stop() waits for the thread
  std::deque<Item> queue_ GUARDED_BY(mutex_);
  size_t queued_bytes_ GUARDED_BY(mutex_) = 0;
  size_t awaited_ GUARDED_BY(mutex_) = 0;  // items in the queue that have a `done`
  size_t writing_ GUARDED_BY(mutex_) = 0;  // batches at writers
  // The thread waits for so many items. A request that waits for its event wakes it, too.
  size_t wake_at_ GUARDED_BY(mutex_) = kNever;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  double tokens_;  // of the throttle; the thread's own, as below
  Steady tokens_counted_;
  std::unique_ptr<WorkerPool> writers_;  // null: the lane's own thread writes
  std::jthread thread_;
};

}  // namespace proa::apiserver::audit
