#pragma once

#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "client/bounded_client.h"

namespace proa::kubelet {

// The Lease by which others know that this node lives. For one thread.
class NodeLease {
 public:
  // `leases`: the resource of coordination.k8s.io. Everything outlives it.
  NodeLease(client::Client& client, const api::Resource& leases, Clock& clock, Random& random,
            std::string node_name, Duration duration);

  // Renews it, or makes it where there is none. How long to wait before the next time: a quarter of
  // its duration, or less after a failure.
  Duration renew(std::string_view node_uid);

 private:
  Result<void> try_renew(std::string_view node_uid);
  Result<void> create(std::string_view node_uid);
  Result<void> update(std::string_view node_uid);
  // The next state of it, from what stands there now.
  void write(json::Document& lease, std::string_view node_uid) const;

  const client::BoundedClient client_;
  Clock& clock_;
  Random& random_;
  const client::Place place_;
  const Duration duration_;
  api::ObjectPtr seen_;  // as it was written or read last
  int failures_ = 0;
};

}  // namespace proa::kubelet
