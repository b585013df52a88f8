#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/threads/poller.h"
#include "client/informer/followed.h"
#include "client/informer/informer.h"
#include "proxy/metrics.h"

namespace proa::proxy {

// What is followed of the API: Services, EndpointSlices, ServiceCIDRs and this node, without
// objects that are for another proxy. Remembers which Services may have changed. Thread-safe after
// start.
class Sources {
 public:
  struct Context {
    client::Client& client;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    ProxyMetrics& metrics;
    std::string node_name;
    std::function<void()> wake;  // called on any thread when there is news
  };
  // REQUIRES: everything outlives it.
  explicit Sources(Context context);
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  // Follows on the poller's thread.
  void join(Poller& poller);
  // Instead, for tests: does what can be done now.
  void poll();

  // ServiceCIDRs do not count: servers before v1.33 have none.
  bool synced() const;

  struct News {
    std::set<client::Key> services = {};
    bool node = false;  // or ServiceCIDRs
  };
  News take() EXCLUDES(mutex_);

  std::vector<client::Key> services() const;
  // Null if there is none.
  api::ObjectPtr service(const client::Key& key) const { return services_.cache().get(key); }
  std::vector<api::ObjectPtr> slices_of(const client::Key& service) const;
  api::ObjectPtr node() const;
  std::vector<api::ObjectPtr> service_cidrs() const { return service_cidrs_.cache().list(); }

 private:
  void service_changed(const client::Change& change) EXCLUDES(mutex_);
  void slice_changed(const client::Change& change) EXCLUDES(mutex_);
  void node_changed() EXCLUDES(mutex_);

  const Context context_;
  client::Informer services_;
  client::Informer slices_;
  client::Informer node_;
  client::Informer service_cidrs_;
  std::array<client::Followed, 4> followed_;
  Mutex mutex_;
  News news_ GUARDED_BY(mutex_);
  size_t pending_services_ GUARDED_BY(mutex_) = 0;
  size_t pending_slices_ GUARDED_BY(mutex_) = 0;
};

}  // namespace proa::proxy
