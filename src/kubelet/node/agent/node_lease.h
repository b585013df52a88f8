#pragma once

#include <string>

#include "api/object/names.h"
#include "base/clock.h"
#include "base/random.h"
#include "client/bounded_client.h"

namespace proa::kubelet {

// The heartbeat Lease of the node. For one thread.
class NodeLease {
 public:
  // `leases`: the resource of coordination.k8s.io. Everything outlives it.
  NodeLease(client::BoundedClient client, const api::Resource& leases, Clock& clock, Random& random,
            api::NodeNameView node_name, Duration duration);

  // Renews it, or creates it. Returns the delay before the next call: a quarter of its duration, or
  // less after a failure.
  Duration renew(api::UidView node_uid);

 private:
  Result<void> try_renew(api::UidView node_uid);
  Result<void> create(api::UidView node_uid);
  Result<void> update(api::UidView node_uid);
  // The renewed Lease, from the current one.
  void write(json::Document& lease, api::UidView node_uid) const;

  const client::BoundedClient client_;
  Clock& clock_;
  Random& random_;
  const client::Place place_;
  const Duration duration_;
  api::ObjectPtr seen_;  // as written or read last
  int failures_ = 0;
};

}  // namespace proa::kubelet
