#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "store/etcd/cache/cache.h"
#include "store/etcd/cache/stored_form.h"
#include "store/etcd/client/etcd_client.h"
#include "store/etcd/follow/watch_stream.h"

namespace proa::store::etcd {

// Brings etcd's state and its changes into the cache: a list at the begin, then one watch. A watch
// that breaks is continued where it ended; where etcd has compacted that meanwhile, the state is
// listed again and compared.
//
// etcd before 3.4.25 and 3.5.8 may report, when asked for its progress, a revision before the
// changes up to there: all of its keys are watched then, so that each revision has a change.
class Follower {
 public:
  struct Parts {
    EtcdClient& client;
    const StoredForm& form;
    Cache& cache;
    bool trusts_progress = false;  // whatever etcd's version
  };

  explicit Follower(const Parts& parts) : parts_(parts) {}

  // Fills the cache: with the state at the last compaction, as far as that is not long ago, so that
  // watches can resume from before. Asks again until `until`.
  Result<void> load(const Until& until);
  // Follows until that fails, or is stopped; kExpired: to begin again. `following` is called when
  // it has begun.
  Status follow(const std::function<void()>& following, const std::stop_token& stop);

  // Waits.
  void pause(Duration time, const std::stop_token& stop);
  // Asks for the revision, if there may be one without a change that is watched. From any thread.
  void request_progress() EXCLUDES(mutex_);
  // A member failed: if it is the one that is followed, the watch goes on at another one. From any
  // thread.
  void left(size_t endpoint) EXCLUDES(mutex_);
  // Updates database_bytes(). From any thread.
  void ask_size();
  uint64_t cluster_id() const { return cluster_id_.load(); }
  int64_t database_bytes() const { return database_bytes_.load(); }

 private:
  // What was received of revisions that are not complete.
  struct Fragments {
    std::vector<EntryPtr> changes;
    Revision last;
  };

  Result<void> load_once();
  Result<Revision> current_revision();
  Result<void> check_revision();
  Result<Revision> oldest_revision(Revision current);
  Result<std::vector<EntryPtr>> list(Revision& at);
  Result<void> relist();
  std::string create_request(Revision from) const;
  Result<void> take(const Bytes& message, Fragments& fragments);
  Result<void> take_changes(const WatchResponse& response, Fragments& fragments);
  Result<void> check_cluster(const Header& header);

  const Parts parts_;
  bool watches_all_ = true;
  std::atomic<uint64_t> cluster_id_ = 0;
  std::atomic<int64_t> database_bytes_ = 0;
  Mutex mutex_;
  WatchStream* stream_ GUARDED_BY(mutex_) = nullptr;
};

// Whether that version reports its progress only behind the changes up to there.
bool reports_progress_in_order(std::string_view version);

}  // namespace proa::store::etcd
