#pragma once

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/metrics/metrics.h"
#include "base/net/ip_address.h"
#include "base/threads/poller.h"
#include "client/informer/followed.h"
#include "dns/cluster/lookup.h"

namespace proa::dns {

// Follows the API: Namespaces, Services and EndpointSlices go into the index, the ConfigMap and
// this node's pod ranges to whoever wants them.
class Follower {
 public:
  using ConfigData = std::map<std::string, std::string, std::less<>>;

  struct Context {
    client::Client& client;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Metrics& metrics;
    ClusterState& cluster;
    std::string node;
    // On the thread that follows. No data, no UID: there is no ConfigMap.
    std::function<void(const ConfigData& data, const std::string& uid)> configured = {};
    std::function<void(std::vector<IpPrefix> ranges)> pods_changed = {};
  };
  // REQUIRES: everything outlives it.
  explicit Follower(Context context);
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Follows on the poller's thread.
  void join(Poller& poller);
  // Everything that existed at the start is in the index.
  bool synced() const;

 private:
  void service_changed(const client::Change& change);
  void slice_changed(const client::Change& change);
  void namespace_changed(const client::Change& change);
  void config_changed(const client::Change& change);
  void node_changed(const client::Change& change);
  void one_synced();
  // REQUIRES: the writer's lock of the cluster.
  void touch(Index& index) const;
  void measure(const api::Object& slice, bool headless) const;

  const Context context_;
  Histogram& programming_;
  client::Informer services_;
  client::Informer slices_;
  client::Informer namespaces_;
  client::Informer config_;
  client::Informer node_;
  std::array<client::Followed, 5> followed_;
};

}  // namespace proa::dns
