#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"

namespace proa::testkit {

// Wraps all calls of a pod worker: counts them, fails the one that a test selects, and records
// those that were executed, in order. Thread-safe.
class Faults {
 public:
  enum class Kind : uint8_t {
    kNotDone,
    kDone,  // executed, but the result is lost
    kDeath  // the same, and all later calls fail, as if the process died there
  };

  // The call with this number fails, counting from 1. Zero: none.
  void fail(size_t number, Kind kind) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    count_ = 0;
    failing_ = number;
    kind_ = kind;
    failed_.clear();
  }
  size_t count() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return count_;
  }
  // The name of the failed call; empty if none failed yet.
  std::string failed() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return failed_;
  }
  // Runs `action` before the next call of that name.
  void during(std::string name, std::function<void()> action) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    during_ = std::move(name);
    action_ = std::move(action);
  }

  // Executes the call, or fails it.
  template <typename Call>
  auto pass(const std::string& name, const Until& until, Call call) -> decltype(call()) {
    if (const std::function<void()> action = take_action(name)) action();
    if (until.stop.stop_requested()) return Status(Reason::kServiceUnavailable, "called off");
    const Fate fate = decide(name);
    if (fate == Fate::kDone) return call();
    if (fate == Fate::kLost) static_cast<void>(call().ok());
    return Status(Reason::kServiceUnavailable, "the connection broke");
  }

  void note(std::string what) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    done_.push_back(std::move(what));
  }
  std::vector<std::string> take_done() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(done_, {});
  }

 private:
  enum class Fate : uint8_t { kDone, kLost, kNotDone };

  std::function<void()> take_action(const std::string& name) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return name == during_ ? std::exchange(action_, {}) : std::function<void()>();
  }
  Fate decide(const std::string& name) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (kind_ == Kind::kDeath && !failed_.empty()) return Fate::kNotDone;
    if (++count_ != failing_) return Fate::kDone;
    failed_ = name;
    return kind_ == Kind::kNotDone ? Fate::kNotDone : Fate::kLost;
  }

  mutable Mutex mutex_;
  size_t count_ GUARDED_BY(mutex_) = 0;
  size_t failing_ GUARDED_BY(mutex_) = 0;
  Kind kind_ GUARDED_BY(mutex_) = Kind::kNotDone;
  std::string failed_ GUARDED_BY(mutex_);
  std::string during_ GUARDED_BY(mutex_);
  std::function<void()> action_ GUARDED_BY(mutex_);
  std::vector<std::string> done_ GUARDED_BY(mutex_);
};

}  // namespace proa::testkit
