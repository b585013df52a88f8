#include "kubelet/pod/volumes/content/token_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "base/log.h"

namespace proa::kubelet {
namespace token_cache {

const Log kLog{"kubelet"};

constexpr Duration kMostAge = std::chrono::hours(24);
// Pods that came together should not all ask in the same second: upstream draws a lot, and here
// the name of the pod decides.
constexpr size_t kSpreadSeconds = 10;
// After a failure.
constexpr Duration kAgain = std::chrono::minutes(1);

}  // namespace token_cache

Time TokenCache::refresh_time(const Key& key, const BoundToken& token) const {
  const Duration life = std::chrono::seconds(key.seconds);
  const Duration last_part = std::chrono::seconds(key.seconds * 20 / 100);
  const size_t hash = std::hash<std::string>{}(key.pod_uid.str() + "/" + key.audience);
  const Duration spread = std::chrono::seconds(hash % token_cache::kSpreadSeconds);
  const Time issued = token.expires - life;
  return std::min(issued + token_cache::kMostAge, token.expires - last_part) - spread;
}

Result<std::string> TokenCache::get(const Pod& pod, const std::string& audience, int64_t seconds) {
  const Key key{.pod_uid = pod.uid(), .audience = audience, .seconds = seconds};
  std::optional<Entry> known;
  {
    const MutexLock lock(mutex_);
    const auto found = tokens_.find(key);
    if (found != tokens_.end()) known = found->second;
  }
  if (known && clock_.now() < known->refresh) return known->token.token;

  Result<BoundToken> fetched = source_(pod, audience, seconds);
  if (fetched.ok()) {
    // A token that is due at once would be requested at every sync.
    const Time refresh = std::max(refresh_time(key, *fetched), clock_.now() + token_cache::kAgain);
    const MutexLock lock(mutex_);
    tokens_[key] = Entry{.token = *fetched, .refresh = refresh};
    return std::move(fetched->token);
  }
  const Status& failure = fetched.status();
  if (!known) return failure.in("failed to fetch token");
  if (clock_.now() > known->token.expires) {
    return failure.in(fmt::format("token of service account {}/{} expired and refresh failed",
                                  pod.name_space(), pod.spec()["serviceAccountName"].text()));
  }
  token_cache::kLog.warn("service account token renewal failed",
                         {{"pod", pod.full_name()}, {"error", failure}});
  const MutexLock lock(mutex_);
  tokens_[key].refresh = clock_.now() + token_cache::kAgain;
  return known->token.token;
}

Time TokenCache::next_refresh(api::UidView pod_uid) {
  const MutexLock lock(mutex_);
  Time next = Time::max();
  const Key first{.pod_uid = api::Uid(pod_uid), .audience = {}, .seconds = INT64_MIN};
  for (auto at = tokens_.lower_bound(first); at != tokens_.end(); ++at) {
    if (at->first.pod_uid != pod_uid) break;
    next = std::min(next, at->second.refresh);
  }
  return next;
}

void TokenCache::forget(api::UidView pod_uid) {
  const MutexLock lock(mutex_);
  std::erase_if(tokens_, [&](const auto& entry) { return entry.first.pod_uid == pod_uid; });
}

}  // namespace proa::kubelet
