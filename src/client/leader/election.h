#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/threads/mutex.h"
#include "client/leader/lease_lock.h"

namespace proa::client {

// Upstream's numbers. A leader that cannot renew gives up before others take over.
struct ElectionPace {
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  Duration renew_period = std::chrono::seconds(2);  // upstream: the same as retry_period
  bool operator==(const ElectionPace&) const = default;
};

// For candidates in the API server's process, over a store of its own: no other process can lead
// before that process is back, and it then leads at once. An idle cluster writes a fifth as much.
inline constexpr ElectionPace kUnhurried{.lease_duration = std::chrono::seconds(30),
                                         .renew_deadline = std::chrono::seconds(20),
                                         .renew_period = std::chrono::seconds(10)};

struct Candidate {
  std::string identity;  // unique among the candidates
  // Whether a holder certainly no longer runs: its lease is taken over at once. Null: unknown.
  std::function<bool(std::string_view holder)> is_gone = nullptr;
};

struct ElectionOptions : ElectionPace {
  Place lease;  // of coordination.k8s.io/v1, with namespace and name
  Candidate candidate;
  bool release_on_stop = true;
};

// Called on the election's thread; must not block for longer than a retry period.
struct ElectionCallbacks {
  std::function<void()> started_leading;
  std::function<void()> stopped_leading;
  std::function<void(const std::string& identity)> new_leader;  // also for ourselves; may be null
};

// A candidate of a leader election. The leader renews its name in a Lease; the others watch it, and
// take over when it was not renewed for the lease duration, measured by their own clock: clocks of
// machines need not agree.
class Election {
 public:
  // REQUIRES: all arguments outlive it.
  Election(Client& client, Clock& clock, Random& random, ElectionOptions options,
           ElectionCallbacks callbacks);

  // Runs until stopped, on the caller's thread. After losing leadership, it is a candidate again.
  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  // One attempt; returns when the next one is due. For programs on one thread.
  Steady step();
  // Releases the lease, if held: the end of run().
  void resign();

  // Thread-safe. False also if the lease could not be renewed in time, even if the election's
  // thread is stuck.
  bool is_leader() const {
    return leading_.load(std::memory_order_acquire) &&
           clock_.steady() < Steady(Duration(lost_at_.load(std::memory_order_acquire)));
  }
  // Until when the lease that another holds lasts, as far as this one knows; a time in the past if
  // there is none. Thread-safe.
  Steady held_until() const {
    return Steady(Duration(held_until_.load(std::memory_order_acquire)));
  }
  // Why the last attempt failed; empty if it did not. Thread-safe.
  std::string failure() const EXCLUDES(mutex_);

 private:
  Result<void> try_to_lead();
  Result<void> renew(const LeaseRecord& record, Steady now);
  bool held_by_another(Steady now) const;
  Steady end_of_lease() const;
  void note(const Result<void>& outcome) EXCLUDES(mutex_);
  void observe(const LeaseRecord& record, Steady now);
  void lose();
  void stop_leading();

  Clock& clock_;
  Random& random_;
  const ElectionOptions options_;
  const ElectionCallbacks callbacks_;
  LeaseLock lock_;
  LeaseRecord observed_;
  Steady observed_at_{};
  std::string reported_;
  std::atomic<bool> leading_ = false;
  std::atomic<Duration::rep> lost_at_ = 0;  // unless renewed before
  std::atomic<Duration::rep> held_until_ = 0;
  mutable Mutex mutex_;
  CondVar stopped_;
  std::string failure_ GUARDED_BY(mutex_);
};

}  // namespace proa::client
