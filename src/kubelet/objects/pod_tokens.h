#pragma once

#include <map>
#include <string>

#include "api/schema/schema.h"
#include "base/random.h"
#include "base/threads/mutex.h"
#include "client/client.h"
#include "kubelet/volumes/volumes.h"

namespace proa::kubelet {

// Asks the API for a token of the pod's service account that ends with the pod. An empty audience
// is the API server's; zero seconds are what the API thinks right.
Result<BoundToken> request_token(client::Client& client, const api::Schema& schema, const Pod& pod,
                                 const std::string& audience, int64_t seconds);

// Tokens that were asked for, so that nobody asks at every sync: they are used until a fifth of
// their time is left, and for a day at most. From any thread that is not a loop's.
class PodTokens {
 public:
  // Everything outlives it.
  PodTokens(client::Client& client, const api::Schema& schema, Clock& clock, Random& random)
      : client_(client), schema_(schema), clock_(clock), random_(random) {}

  // An older token that is still good when no new one can be had.
  Result<BoundToken> get(const Pod& pod, const std::string& audience, int64_t seconds)
      EXCLUDES(mutex_);
  void forget(const std::string& pod_uid) EXCLUDES(mutex_);

 private:
  struct Key {
    std::string pod_uid = {};
    std::string audience = {};
    int64_t seconds = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Kept {
    BoundToken token = {};
    Time renew = {};  // from then on
  };

  Kept keep(BoundToken token);

  client::Client& client_;
  const api::Schema& schema_;
  Clock& clock_;
  Random& random_;
  Mutex mutex_;
  std::map<Key, Kept> kept_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
