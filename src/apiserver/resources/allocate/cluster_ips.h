#pragma once

#include <string>
#include <string_view>

#include "api/schema/schema.h"
#include "apiserver/resources/allocate/allocation_metrics.h"
#include "base/clock.h"
#include "base/net/ip_address.h"
#include "base/random.h"
#include "store/store.h"

namespace proa::apiserver {

// The owner of an address or port.
struct ServiceName {
  std::string_view name_space;
  std::string_view name;
};

// Allocates Service addresses. An allocated address is an IPAddress object of that name, written in
// the Service's commit: both exist or neither does, and the store ensures uniqueness. There is no
// other state and nothing to repair. Thread-safe.
class ClusterIps {
 public:
  // All arguments outlive it.
  ClusterIps(const store::Store& store, const api::Schema& schema, const Clock& clock,
             Random& random);

  // Allocates a free address. Fails with kInternalError if there is none. A dry run is not counted.
  Result<IpAddress> choose(std::string_view family, const ServiceName& owner, store::Txn& txn,
                           bool dry_run) const;
  // Allocates a given address. Fails with kInvalid and upstream's message if it is not available.
  Result<void> reserve(const IpAddress& address, const ServiceName& owner, store::Txn& txn,
                       bool dry_run) const;
  // Recreates the IPAddress of an address that its owner has, if it was deleted.
  Result<void> keep(const IpAddress& address, const ServiceName& owner, store::Txn& txn) const;
  // Releases it, if it belongs to the owner.
  Result<void> release(const IpAddress& address, const ServiceName& owner, store::Txn& txn) const;

  // The store operation for a new IPAddress object.
  Result<store::Put> make_object(const IpAddress& address, const ServiceName& owner) const;
  std::string key(const IpAddress& address) const;

  // Counts what is taken, for the metrics; takes long where there are many Services.
  void measure() const;
  void write_metrics(MetricsText& text) const { metrics_.write(text); }

 private:
  Result<void> take(const IpAddress& address, const ServiceName& owner, store::Txn& txn) const;

  const store::Store& store_;
  const api::Resource& addresses_;
  const api::Resource& service_cidrs_;
  const Clock& clock_;
  Random& random_;
  mutable ClusterIpMetrics metrics_;
};

}  // namespace proa::apiserver
