#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "store/store.h"

namespace proa::apiserver {

// Objects that are restored together.
struct Kept {
  enum class When : uint8_t { kChanged, kDeleted, kCreatedOrDeleted };
  std::vector<std::string> keys;  // in the store; all that begin with those that end with a slash
  When when = When::kChanged;
  Duration every = {};                    // also after this time; zero: never
  std::function<Result<void>()> restore;  // writes nothing if nothing is missing
};

// Restores objects when somebody deletes or changes them. Upstream looks at them every ten seconds
// or every minute; this one sleeps until the store reports a change, and is at most once a second
// busy with objects that are changed all the time.
class Keeper {
 public:
  // Considers changes from revision `since` on. REQUIRES: store, clock and what `restore` uses
  // outlive it.
  Keeper(store::Store& store, Clock& clock, std::vector<Kept> kept, store::Revision since);
  // Waits for a restore in progress.
  ~Keeper();
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

 private:
  struct Row {
    Kept kept;
    std::vector<std::unique_ptr<store::Watch>> watches;  // of the keys; null: none yet
    bool due = false;
    bool failed = false;
    Steady next = Steady::max();  // what is due by time, or is tried again
  };
  void run() EXCLUDES(mutex_);
  void attend(Row& row);
  // Or until a row is due by time. False: stopped.
  bool await_change() EXCLUDES(mutex_);
  void wake() EXCLUDES(mutex_);
  void pause_until(Steady time) EXCLUDES(mutex_);
  // Reads what changed, opening watches that are missing; false if one could not be opened.
  bool look(Row& row);
  bool look(Row& row, size_t index);
  // Whether it worked.
  bool restore(const Row& row);
  void bound_rate();

  store::Store& store_;
  Clock& clock_;
  const store::Revision since_;
  std::vector<Row> rows_;  // of the thread
  Steady paid_until_{};    // of the thread: see bound_rate()
  Mutex mutex_;
  CondVar changed_;
  bool woken_ GUARDED_BY(mutex_) = true;  // the first look opens the watches
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace proa::apiserver
