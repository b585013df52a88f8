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

// Keeps an index over some stored objects current, without a thread: whoever reads the index
// catches up first, which costs next to nothing while nothing changes. So nobody decides by less
// than what was in the store when he asked.
class Follower {
 public:
  // An object as it is now; null: it is gone. `key` is its key in the store. Called by whoever
  // catches up, in the order of the changes, while nobody reads.
  using Changed = std::function<void(std::string_view key, const api::ObjectPtr& object)>;

  // `prefixes`: "/registry/roles/". What is there is told at the first read. REQUIRES: the store
  // outlives it.
  Follower(store::Store& store, const std::vector<std::string>& prefixes, Changed changed);
  ~Follower();

  // Calls `use` while the index stands still, at a state that has everything that was committed
  // before. From any thread; `use` must not block.
  template <typename Use>
  auto read(Use use) EXCLUDES(mutex_) {
    if (has_news()) catch_up();
    ReaderLock lock(mutex_);
    return use();
  }

 private:
  struct Source {
    std::string prefix;
    std::unique_ptr<store::Watch> watch;
    std::set<std::string, std::less<>> keys;  // of what was told
  };
  bool has_news() const EXCLUDES(mutex_);
  void catch_up() EXCLUDES(mutex_);
  void read_anew(Source& source) REQUIRES(mutex_);
  void tell(Source& source, const store::EntryPtr& entry) REQUIRES(mutex_);

  store::Store& store_;
  const Changed changed_;
  mutable SharedMutex mutex_;
  std::vector<Source> sources_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
