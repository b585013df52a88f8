#pragma once

#include <deque>
#include <functional>
#include <map>

#include "base/clock.h"
#include "store/etcd/client/etcd_client.h"
#include "store/etcd/wire/messages.h"

namespace proa::store::etcd {

// Leases for values with a time to live, each shared by those that are written within a part of
// that time. Thread-safe.
class Leases {
 public:
  using Granted = std::function<void(Result<int64_t>)>;

  Leases(EtcdClient& client, Clock& clock, int share_percent)
      : client_(client), clock_(clock), share_percent_(share_percent) {}

  // A lease of at least that time. Calls back at once, or on the client's loop.
  void get(Duration ttl, Granted granted);
  // `share`: and at most that much more.
  void get(Duration ttl, Duration share, Granted granted) EXCLUDES(mutex_);
  // Revokes those that have expired by the clock, and waits for that.
  Result<void> revoke_expired() EXCLUDES(mutex_);

 private:
  using Kind = std::pair<Duration, Duration>;  // time to live, share
  struct Lease {
    int64_t id = 0;
    Steady share_until;
    Steady expiry;
  };

  void keep(const Kind& kind, const Lease& lease) EXCLUDES(mutex_);

  EtcdClient& client_;
  Clock& clock_;
  const int share_percent_;
  Mutex mutex_;
  // The last one of each kind.
  std::map<Kind, Lease> shared_ GUARDED_BY(mutex_);
  std::deque<Lease> granted_ GUARDED_BY(mutex_);  // those not expired by the clock
};

}  // namespace proa::store::etcd
