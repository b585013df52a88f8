#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "base/threads/shared_mutex.h"
#include "store/store.h"

namespace proa::apiserver {

// Keeps an index of stored objects current without a thread: each reader first applies pending
// changes, which costs next to nothing if there are none. So decisions include every write
// committed before the read.
class Follower {
 public:
  // Receives an object's current state; null: deleted. `key` is its store key. Called by the
  // catching-up reader, in commit order, with no concurrent reads.
  using Changed = std::function<void(std::string_view key, const api::ObjectPtr& object)>;

  // `prefixes`: "/registry/roles/". Existing objects are delivered at the first read. `wake`:
  // called on any thread when there are changes after all were delivered; must not read. `settle`:
  // called like `changed`, after the last of some changes. REQUIRES: the store outlives it.
  Follower(store::Store& store, const std::vector<std::string>& prefixes, Changed changed,
           std::function<void()> wake = {}, std::function<void()> settle = {});
  ~Follower();

  // Calls `use` with the index locked, at a state that includes everything committed before.
  // Thread-safe; `use` must not block.
  template <typename Use>
  auto read(Use use) EXCLUDES(mutex_) {
    if (has_changes()) catch_up();
    ReaderLock lock(mutex_);
    return use();
  }

 private:
  struct Source {
    std::string prefix;
    std::unique_ptr<store::Watch> watch;
    std::set<std::string, std::less<>> keys;  // of delivered objects
  };
  bool has_changes() const EXCLUDES(mutex_);
  void catch_up() EXCLUDES(mutex_);
  void relist(Source& source) REQUIRES(mutex_);
  void deliver(Source& source, const store::EntryPtr& entry) REQUIRES(mutex_);

  store::Store& store_;
  const Changed changed_;
  const std::function<void()> wake_;
  const std::function<void()> settle_;
  mutable SharedMutex mutex_;
  std::vector<Source> sources_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
