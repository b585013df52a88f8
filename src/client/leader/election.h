#pragma once

#include <atomic>
#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/threads/mutex.h"
#include "client/leader/lease_lock.h"

namespace proa::client {

// Upstream's numbers. A leader that can't renew gives up before others may follow it.
struct ElectionPace {
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  Duration renew_period = std::chrono::seconds(2);  // upstream: the same as retry_period
  bool operator==(const ElectionPace&) const = default;
};

// Of candidates in the process that serves the API, over a store that no other process has: when
// they end, nobody can lead before that process is back, and it leads again at once. A cluster that
// rests writes a fifth as much.
inline constexpr ElectionPace kUnhurried{.lease_duration = std::chrono::seconds(30),
                                         .renew_deadline = std::chrono::seconds(20),
                                         .renew_period = std::chrono::seconds(10)};

struct ElectionOptions : ElectionPace {
  Place lease;           // of coordination.k8s.io/v1, with namespace and name
  std::string identity;  // unlike those of all other candidates
  bool release_on_stop = true;
};

// Called on the thread that runs the election; must not block for longer than a retry period.
struct ElectionCallbacks {
  std::function<void()> started_leading;
  std::function<void()> stopped_leading;
  std::function<void(const std::string& identity)>
      new_leader;  // also when it is oneself; may be null
};

// One candidate for the lead. Whoever leads writes its name into a Lease again and again; the
// others watch it, and take the lead when that did not happen for as long as the lease lasts, by
// their own clock: clocks of machines need not agree.
class Election {
 public:
  // Everything outlives it.
  Election(Client& client, Clock& clock, Random& random, ElectionOptions options,
           ElectionCallbacks callbacks);

  // Takes part until stopped, on the caller's thread. A lead that was lost is tried for again.
  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  // One attempt; when the next one is due. For who runs everything on one thread.
  Steady step();
  // Gives the lead back, if it is held: the end of run().
  void resign();

  // From any thread. False also when the lead could not be renewed in time, whatever keeps the
  // thread that runs it from finding out.
  bool is_leader() const {
    return leading_.load(std::memory_order_acquire) &&
           clock_.steady() < Steady(Duration(lost_at_.load(std::memory_order_acquire)));
  }

 private:
  Result<void> try_to_lead();
  Result<void> renew(const LeaseRecord& record, Steady now);
  bool held_by_another(Steady now) const;
  void observe(const LeaseRecord& record, Steady now);
  void lose();

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
  Mutex mutex_;
  CondVar stopped_;
};

}  // namespace proa::client
