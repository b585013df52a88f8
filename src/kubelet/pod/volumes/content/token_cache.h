#pragma once

#include <compare>
#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// A token for a pod's service account, and when it expires.
struct BoundToken {
  std::string token = {};
  Time expires = {};
};
using TokenSource =
    std::function<Result<BoundToken>(const Pod& pod, const std::string& audience, int64_t seconds)>;

// The service account tokens of volumes. A token is renewed after 80 % of its lifetime, or 24
// hours. In memory only: a restarted kubelet requests new ones. From any thread; no lock is held
// during a request.
class TokenCache {
 public:
  TokenCache(Clock& clock, TokenSource source) : clock_(clock), source_(std::move(source)) {}

  // A valid token. If renewal fails, the old one until it expires.
  Result<std::string> get(const Pod& pod, const std::string& audience, int64_t seconds)
      EXCLUDES(mutex_);
  // When a token of the pod has to be renewed; Time::max() if it has none.
  Time next_refresh(api::UidView pod_uid) EXCLUDES(mutex_);
  void forget(api::UidView pod_uid) EXCLUDES(mutex_);

 private:
  struct Key {
    api::Uid pod_uid = {};
    std::string audience = {};
    int64_t seconds = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    BoundToken token = {};
    Time refresh = {};
  };

  Time refresh_time(const Key& key, const BoundToken& token) const;

  Clock& clock_;
  const TokenSource source_;
  Mutex mutex_;
  std::map<Key, Entry> tokens_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
