#pragma once

#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <vector>

#include "store/etcd/client/etcd_client.h"
#include "store/etcd/commit/leases.h"
#include "store/etcd/commit/pending_commit.h"

namespace proa::store::etcd {

// Finds out what became of transactions whose answers were lost: ends their session, so that none
// of them can take place later, and reads the history of its marker. Has a thread of its own while
// there are any. Thread-safe.
class LostAnswers {
 public:
  struct Parts {
    EtcdClient& client;
    Leases& leases;
  };
  // The revision at which it took place; nullopt: it did not, and will not. A failure: that is not
  // known. On the thread here.
  using Found = std::function<void(const PendingPtr&, const Result<std::optional<Revision>>&)>;

  LostAnswers(const Parts& parts, Found found) : parts_(parts), found_(std::move(found)) {}
  ~LostAnswers() { stop(); }

  // REQUIRES: what follows has another session. `why`: how the answer was lost.
  void add(PendingPtr pending, const Status& why) EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);

 private:
  struct Lost {
    PendingPtr pending;
    Status why;
  };
  // The revisions at which numbers of a session took place.
  using History = std::map<uint64_t, Revision>;

  void work(const std::stop_token& stop) EXCLUDES(mutex_);
  void resolve(const std::vector<Lost>& lost, const std::stop_token& stop);
  Result<Revision> end_session(const Session& session);
  Result<History> read_history(const Session& session, Revision from, Revision to,
                               const std::stop_token& stop);

  const Parts parts_;
  const Found found_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<Lost> lost_ GUARDED_BY(mutex_);
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::jthread thread_ GUARDED_BY(mutex_);
};

}  // namespace proa::store::etcd
