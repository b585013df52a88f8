#pragma once

#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"

namespace proa::scheduler {

// Wakes threads that wait for a change of named objects. Thread-safe.
class ChangeNotifier {
 public:
  // `clock` outlives it.
  explicit ChangeNotifier(Clock& clock) : clock_(clock) {}
  ChangeNotifier(const ChangeNotifier&) = delete;
  ChangeNotifier& operator=(const ChangeNotifier&) = delete;

  // Whether there is a listener; if not, notify() need not be called.
  bool has_listeners() const { return listeners_count_.load() > 0; }
  void notify(const std::string& thing) EXCLUDES(mutex_);

  // Receives notifications from its construction on.
  class Listener {
   public:
    Listener(ChangeNotifier& notifier, std::vector<std::string> things);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    // Waits until one of the things was notified since the last call. False if `until` ends first.
    bool wait(const Until& until);

   private:
    friend class ChangeNotifier;
    ChangeNotifier& notifier_;
    const std::vector<std::string> things_;
    bool notified_ = false;  // under the notifier's mutex
    CondVar changed_;
  };

 private:
  bool wait(Listener& listener, const Until& until) EXCLUDES(mutex_);
  void add(Listener& listener) EXCLUDES(mutex_);
  void remove(Listener& listener) EXCLUDES(mutex_);

  Clock& clock_;
  std::atomic<size_t> listeners_count_ = 0;
  Mutex mutex_;
  std::unordered_multimap<std::string, Listener*> listeners_ GUARDED_BY(mutex_);
};

}  // namespace proa::scheduler
