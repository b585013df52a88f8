#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/threads/mutex.h"
#include "store/store.h"

namespace proa::store {

// The registry's part of a watch: its prefix and how to wake it.
class WatchNotifier {
 public:
  WatchNotifier(std::string prefix, bool exact, std::function<void()> wake)
      : prefix_(std::move(prefix)), exact_(exact), wake_(std::move(wake)) {}

  const std::string& prefix() const { return prefix_; }
  // Whether the prefix is a whole key or whole segments, so that the registry finds it by hash.
  bool indexed() const { return exact_ || prefix_.empty() || prefix_.back() == '/'; }
  bool concerns(std::string_view key) const {
    return exact_ ? key == prefix_ : key.starts_with(prefix_);
  }

  // The next change of a watched key notifies. REQUIRES: nothing has changed since the last read.
  void arm() { armed_.store(true); }
  bool armed() const { return armed_.load(); }
  // True if it was armed: the caller notifies it. `quiet`: nothing changed up to there while it was
  // armed. REQUIRES: one thread at a time.
  bool disarm(Revision quiet) {
    if (armed_.load()) quiet_.store(quiet.value);
    return armed_.exchange(false);
  }
  // After a notification: the revision to continue from. The old position of a watch that was idle
  // for long may be compacted.
  Revision quiet() const { return {quiet_.load()}; }

  void notify() EXCLUDES(mutex_);
  // Waits until it is no longer armed; false if `until` ends first.
  bool wait(Clock& clock, const Until& until) EXCLUDES(mutex_);
  // When this returns, no call of `wake` is running or follows, except one that the caller itself
  // is in.
  void close() EXCLUDES(mutex_);

 private:
  const std::string prefix_;
  const bool exact_;
  std::function<void()> wake_;
  std::atomic<bool> armed_ = false;
  std::atomic<int64_t> quiet_ = 0;
  Mutex mutex_;
  CondVar changed_;
  bool closed_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread::id> notifying_ GUARDED_BY(mutex_);
};

using WatchNotifiers = std::vector<std::shared_ptr<WatchNotifier>>;

// Finds the watches of a key. Whole keys, and prefixes that end with '/', are found by walking the
// segments of the key, whatever the number of watches; the few others are compared one by one.
class WatchRegistry {
 public:
  void add(std::shared_ptr<WatchNotifier> notifier) EXCLUDES(mutex_);
  void remove(const std::shared_ptr<WatchNotifier>& notifier) EXCLUDES(mutex_);
  size_t size() const { return count_.load(); }

  // Disarms the watches of the changed keys and adds them to `notifiers`. A watch that is still
  // armed afterwards has no events up to `revision`. REQUIRES: called in order of revisions.
  void disarm(std::span<const Event> changes, Revision revision, WatchNotifiers& notifiers)
      EXCLUDES(mutex_);
  // The same for all watches: the state before `revision` is unknown.
  void disarm_all(Revision revision, WatchNotifiers& notifiers) EXCLUDES(mutex_);
  Revision announced() const { return {announced_.load()}; }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  void collect(const WatchNotifiers& from, WatchNotifiers& notifiers, std::string_view key) const;

  Mutex mutex_;
  std::unordered_map<std::string, WatchNotifiers, Hash, std::equal_to<>> by_segment_
      GUARDED_BY(mutex_);
  WatchNotifiers others_ GUARDED_BY(mutex_);
  std::atomic<size_t> count_ = 0;
  std::atomic<int64_t> announced_ = 0;
};

}  // namespace proa::store
