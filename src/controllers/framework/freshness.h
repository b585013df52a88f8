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

// For a reconcile that waits for its caches. Events bring it back; the time is for a server that
// did not answer when it was asked, and for what came and went while a watch was broken.
inline constexpr client::Again kNotYet{std::chrono::seconds(1)};

// What a controller wrote itself, for each of its keys, until its caches have heard of it: who acts
// on a cache that does not know what he did would do it twice. In place of upstream's expectations,
// which count, and time out: revisions say exactly when a cache is up to date. Safe to use from any
// thread.
class Freshness {
 public:
  // `informer`: of the objects that are written; outlives it.
  explicit Freshness(const client::Informer& informer) : informer_(informer) {}

  // The answer to a create, update or patch that was done for `key`.
  void wrote(const client::Key& key, const api::Object& answer) EXCLUDES(mutex_);
  // A deletion was asked for; heard of when the object is gone, or is marked as being deleted.
  void removed(const client::Key& key, const api::Object& object) EXCLUDES(mutex_);
  // The server says that an object is not there any more.
  void gone(const client::Key& key, const api::Object& object) EXCLUDES(mutex_);
  // A write failed. One that the server refused was not done; of others nobody knows, until it has
  // been asked.
  void failed(const client::Key& key, const Status& status) EXCLUDES(mutex_);
  // The one or the other.
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
  // Whether the cache has heard of everything that was written for this key. If not, the reconcile
  // has to wait, and returns kNotYet: the events that are still to come put the key back into the
  // queue.
  bool is_fresh(const client::Key& key) EXCLUDES(mutex_);
  // The key's object is gone.
  void forget(const client::Key& key) EXCLUDES(mutex_);

 private:
  // Asks the server where somebody does not know what he did; false when it does not answer.
  bool make_sure(const client::Key& key) EXCLUDES(mutex_);

  struct Written {
    int64_t revision = 0;
    bool unsure = false;
    // Keys and uids.
    std::set<std::pair<client::Key, std::string>> removed;
    std::set<std::pair<client::Key, std::string>> gone;
  };

  const client::Informer& informer_;
  Mutex mutex_;
  std::unordered_map<client::Key, Written> written_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers
