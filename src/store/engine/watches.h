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

// One watch as the registry knows it: its prefix and how to wake it.
class WatchBell {
 public:
  WatchBell(std::string prefix, bool exact, std::function<void()> wake)
      : prefix_(std::move(prefix)), exact_(exact), wake_(std::move(wake)) {}

  const std::string& prefix() const { return prefix_; }
  // Whether it is found by its prefix alone, without comparing: a whole key, or whole segments.
  bool indexed() const { return exact_ || prefix_.empty() || prefix_.back() == '/'; }
  bool concerns(std::string_view key) const {
    return exact_ ? key == prefix_ : key.starts_with(prefix_);
  }

  // From now on the next change of a watched key rings. Until then nothing has changed.
  void arm() { armed_.store(true); }
  bool armed() const { return armed_.load(); }
  // True when it was armed: the caller rings it. `quiet`: up to there nothing changed while it was.
  // REQUIRES: one thread at a time.
  bool disarm(Revision quiet) {
    if (armed_.load()) quiet_.store(quiet.value);
    return armed_.exchange(false);
  }
  // Of a bell that rang: where to look first. A watch that nobody asked for long would find its old
  // place compacted.
  Revision quiet() const { return {quiet_.load()}; }

  void ring() EXCLUDES(mutex_);
  // Waits until it is no longer armed; false when `until` came first.
  bool wait(Clock& clock, const Until& until) EXCLUDES(mutex_);
  // Once this returns, ring() calls nobody any more and calls nobody still, but for the caller
  // itself.
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
  std::vector<std::thread::id> ringers_ GUARDED_BY(mutex_);
};

using WatchBells = std::vector<std::shared_ptr<WatchBell>>;

// Who is to be woken by which key. Whole keys, and prefixes that end with '/', are found by walking
// the segments of the key, whatever the number of watches; the few others are compared one by one.
class WatchRegistry {
 public:
  void add(std::shared_ptr<WatchBell> bell) EXCLUDES(mutex_);
  void remove(const std::shared_ptr<WatchBell>& bell) EXCLUDES(mutex_);
  size_t size() const { return count_.load(); }

  // Disarms the watches of the changed keys and adds those that are to be rung. Afterwards a watch
  // that is still armed has nothing to see up to `revision`. REQUIRES: called in order of
  // revisions.
  void disarm(std::span<const Event> changes, Revision revision, WatchBells& bells)
      EXCLUDES(mutex_);
  Revision announced() const { return {announced_.load()}; }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  void collect(const WatchBells& from, WatchBells& bells, std::string_view key) const;

  Mutex mutex_;
  std::unordered_map<std::string, WatchBells, Hash, std::equal_to<>> by_segment_ GUARDED_BY(mutex_);
  WatchBells others_ GUARDED_BY(mutex_);
  std::atomic<size_t> count_ = 0;
  std::atomic<int64_t> announced_ = 0;
};

}  // namespace proa::store
