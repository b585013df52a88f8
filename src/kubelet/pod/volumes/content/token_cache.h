#pragma once

#include <compare>
#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "kubelet/model/pod.h"

namespace proa::kubelet {

// A token for a pod's service account: (pod, audience, seconds) -> token and when it ends.
struct BoundToken {
  std::string token = {};
  Time expires = {};
};
using TokenSource =
    std::function<Result<BoundToken>(const Pod& pod, const std::string& audience, int64_t seconds)>;

// The tokens that pods have in their volumes. One is asked for anew once it has lived 80 % of its
// life, or 24 hours. They are in memory alone: a kubelet that comes back asks for new ones. From
// any thread; nothing is held while a token is fetched.
class TokenCache {
 public:
  TokenCache(Clock& clock, TokenSource source) : clock_(clock), source_(std::move(source)) {}

  // A token that is good for a while. When there is no new one to be had, the old one as long as it
  // is valid.
  Result<std::string> get(const Pod& pod, const std::string& audience, int64_t seconds)
      EXCLUDES(mutex_);
  // When a token of the pod wants to be renewed; Time::max() when it has none.
  Time next_refresh(const std::string& pod_uid) EXCLUDES(mutex_);
  void forget(const std::string& pod_uid) EXCLUDES(mutex_);

 private:
  struct Key {
    std::string pod_uid = {};
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
