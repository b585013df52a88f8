#pragma once

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/mutex.h"
#include "store/store.h"

namespace proa::testkit {

// Reports of a running storm: acknowledged writes, and events seen by watchers.
struct StormNote {
  enum Kind : int64_t { kReady, kAcknowledged, kSeen, kProgress };
  int64_t kind = kReady;
  int64_t who = 0;     // writer or watcher
  int64_t number = 0;  // acknowledged: the writer's count; seen: the index within the commit
  int64_t revision = 0;
};

// Receives notes. Called from many threads.
using StormSink = std::function<void(const StormNote&)>;

// Counting writers: writer w commits its next number under two keys in one commit, compared with
// its previous one, sometimes lazily. Watchers read the events. Runs until stopped or until the
// store fails.
class Storm {
 public:
  Storm(store::Store& store, int writers, int watchers, uint64_t seed, StormSink sink);
  ~Storm() { stop(); }
  void stop();

 private:
  void write(int writer, uint64_t seed);
  void watch(int watcher);

  store::Store& store_;
  const StormSink sink_;
  const store::Revision begin_;
  std::stop_source stopping_;
  std::vector<std::jthread> threads_;
};

// Compares the state after a crash with the notes before it. Fails the running gtest.
class StormVerifier {
 public:
  void note(const StormNote& note) EXCLUDES(mutex_);
  // Call after reopening the store; also records the revision to continue from.
  void verify(store::Store& store) EXCLUDES(mutex_);
  size_t acknowledged() const { return total_acknowledged_; }

 private:
  void verify_history(store::Store& store) REQUIRES(mutex_);
  void verify_watchers(store::Store& store) REQUIRES(mutex_);
  void verify_state(store::Store& store) REQUIRES(mutex_);

  struct Seen {
    std::vector<std::pair<int64_t, int64_t>> places;  // revision and index within the commit
    int64_t progress = 0;
  };
  using Events = std::vector<store::Event>;

  Mutex mutex_;
  std::vector<StormNote> acknowledged_ GUARDED_BY(mutex_);
  std::map<int64_t, Seen> seen_ GUARDED_BY(mutex_);
  std::map<std::string, int64_t> counts_ GUARDED_BY(mutex_);  // the last number of each writer
  Events events_ GUARDED_BY(mutex_);                          // since the last verification
  store::Revision verified_ GUARDED_BY(mutex_){1};
  int64_t highest_ GUARDED_BY(mutex_) = 0;  // highest reported revision
  size_t total_acknowledged_ = 0;
};

}  // namespace proa::testkit
