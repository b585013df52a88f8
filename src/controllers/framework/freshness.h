#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "api/object/object.h"
#include "base/threads/mutex.h"
#include "client/informer/informer.h"
#include "client/informer/work_queue.h"
#include "client/key.h"

namespace proa::controllers {

// Returned by a reconcile that waits for its caches. Events requeue the key; the delay covers a
// server that did not answer, and changes missed while a watch was broken.
inline constexpr client::Again kNotYet{std::chrono::seconds(1)};

// Tracks a controller's own writes per key until its caches contain them: acting on a stale cache
// would repeat the write. Replaces upstream's expectations, which count and time out; revisions
// tell exactly when a cache is up to date. Thread-safe.
class Freshness {
 public:
  // `informer` of the written objects; outlives it.
  explicit Freshness(const client::Informer& informer) : informer_(informer) {}

  // Records the response to a create, update or patch for `key`.
  void wrote(const client::Key& key, const api::Object& answer) EXCLUDES(mutex_);
  // Records a deletion; the cache is fresh when the object is gone or marked as being deleted.
  void removed(const client::Key& key, const api::Object& object) EXCLUDES(mutex_);
  // Records that the server reported the object as not found.
  void gone(const client::Key& key, const api::Object& object) EXCLUDES(mutex_);
  // Records a failed write. A refused write was not done; for other errors the outcome is unknown
  // until the server is asked.
  void failed(const client::Key& key, const Status& status) EXCLUDES(mutex_);
  // Records the outcome of a write.
  void tried(const client::Key& key, const Result<api::ObjectPtr>& outcome) {
    if (outcome) {
      wrote(key, **outcome);
    } else {
      failed(key, outcome.status());
    }
  }
  void tried_to_remove(const client::Key& key, const api::Object& object,
                       const Result<void>& outcome) {
    if (outcome) {
      removed(key, object);
    } else {
      failed(key, outcome.status());
    }
  }
  // Whether the cache contains everything written for this key. If not, the reconcile returns
  // kNotYet; the pending events requeue the key.
  bool is_fresh(const client::Key& key) EXCLUDES(mutex_);
  // Drops the key's state.
  void forget(const client::Key& key) EXCLUDES(mutex_);

 private:
  // Resolves unknown outcomes with the server; false if it does not answer.
  bool make_sure(const client::Key& key) EXCLUDES(mutex_);

  struct Written {
    int64_t revision = 0;
    bool unsure = false;
    // Keys and uids of the objects.
    std::set<std::pair<client::Key, std::string>> removed;
    std::set<std::pair<client::Key, std::string>> gone;
  };

  const client::Informer& informer_;
  Mutex mutex_;
  std::unordered_map<client::Key, Written> written_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers
