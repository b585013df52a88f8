#include "store/etcd/commit/leases.h"

#include <algorithm>

namespace proa::store::etcd {
namespace leases {

constexpr Duration kTimeout = std::chrono::seconds(10);
// Nobody waits longer than that for a value to vanish.
constexpr Duration kLongestShare = std::chrono::minutes(1);

}  // namespace leases

void Leases::get(Duration ttl, Granted granted) {
  const Duration share = std::min(ttl * share_percent_ / 100, leases::kLongestShare);
  get(ttl, share, std::move(granted));
}

void Leases::get(Duration ttl, Duration share, Granted granted) {
  const Steady now = clock_.steady();
  std::optional<int64_t> known;
  {
    MutexLock lock(mutex_);
    const auto found = shared_.find({ttl, share});
    if (found != shared_.end() && now <= found->second.share_until) known = found->second.id;
  }
  if (known) return granted(*known);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(ttl + share);
  client_.start("Lease/LeaseGrant", write_lease_grant(seconds.count()), leases::kTimeout,
                [this, ttl, now, share, granted = std::move(granted)](const Result<Bytes>& answer) {
                  if (!answer.ok()) return granted(answer.status());
                  const auto lease = read_lease(answer->view());
                  if (!lease.ok()) return granted(lease.status());
                  keep({ttl, share},
                       {.id = lease->id, .share_until = now + share, .expiry = now + ttl + share});
                  granted(lease->id);
                });
}

void Leases::keep(const Kind& kind, const Lease& lease) {
  const Steady now = clock_.steady();
  MutexLock lock(mutex_);
  std::erase_if(shared_, [&](const auto& item) { return item.second.share_until < now; });
  shared_[kind] = lease;
  granted_.push_back(lease);
  // Those that are expired for long are only of interest to revoke_expired().
  constexpr size_t kMost = 1000;
  if (granted_.size() > kMost) granted_.pop_front();
}

Result<void> Leases::revoke_expired() {
  const Steady now = clock_.steady();
  std::vector<int64_t> expired;
  {
    MutexLock lock(mutex_);
    for (const Lease& lease : granted_) {
      if (lease.expiry <= now) expired.push_back(lease.id);
    }
    std::erase_if(granted_, [&](const Lease& lease) { return lease.expiry <= now; });
  }
  for (const int64_t id : expired) {
    TRY(client_.ask("Lease/LeaseRevoke", write_lease_revoke(id), leases::kTimeout));
  }
  return {};
}

}  // namespace proa::store::etcd
