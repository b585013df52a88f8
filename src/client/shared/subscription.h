#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "client/informer/cache.h"
#include "client/shared/object_filter.h"

namespace proa::client {

// One reader of a shared resource, and the events that it has not read yet. Written by the thread
// that follows the server, which never waits for the reader; read by the reader's.
class Subscription {
 public:
  // The clock outlives it.
  Subscription(Clock& clock, ObjectFilter filter) : clock_(clock), filter_(std::move(filter)) {}

  // Appends what the change means for this reader. A reader that leaves more than `most` events
  // unread loses them, and has to begin again.
  void tell(const Change& change, size_t most) EXCLUDES(mutex_, wake_mutex_);
  // All objects that existed were told.
  void end_initial(int64_t revision) EXCLUDES(mutex_, wake_mutex_);

  // See Watch.
  Result<std::vector<Event>> next(const Until& until) EXCLUDES(mutex_);
  // When this returns, the former function is not being called any more.
  void on_ready(std::function<void()> wake) EXCLUDES(wake_mutex_);

 private:
  std::optional<Event> event_for(const Change& change) const;
  void append(Event event, size_t most) EXCLUDES(mutex_, wake_mutex_);
  void notify() EXCLUDES(mutex_);

  Clock& clock_;
  const ObjectFilter filter_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<Event> unread_ GUARDED_BY(mutex_);
  bool overrun_ GUARDED_BY(mutex_) = false;
  // Of its own: whoever is woken may read at once.
  Mutex wake_mutex_;
  std::function<void()> wake_ GUARDED_BY(wake_mutex_);
};

}  // namespace proa::client
