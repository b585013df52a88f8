#pragma once

#include <string>
#include <string_view>

#include "api/schema/schema.h"
#include "api/validation/ip_address.h"
#include "base/clock.h"
#include "base/random.h"
#include "store/store.h"

namespace proa::apiserver {

// Whose an address or a port is.
struct ServiceName {
  std::string_view name_space;
  std::string_view name;
};

// Addresses of Services. One that is taken is an IPAddress object under its name; who takes it puts
// that object into the commit of the Service, so that the two come and go together, and the store
// sees to it that nobody else has it. There is nothing else to keep, and nothing to repair. From
// any thread.
class ClusterIps {
 public:
  // Everything outlives it.
  ClusterIps(const store::Store& store, const api::Schema& schema, const Clock& clock,
             Random& random);

  // Takes one that is free. kInternalError when there is none.
  Result<api::IpAddress> choose(std::string_view family, const ServiceName& owner,
                                store::Txn& txn) const;
  // Takes a certain one. kInvalid, in upstream's words, when it can't be had.
  Result<void> reserve(const api::IpAddress& address, const ServiceName& owner,
                       store::Txn& txn) const;
  // Brings the IPAddress of one that its owner has already back, if somebody deleted it.
  Result<void> keep(const api::IpAddress& address, const ServiceName& owner, store::Txn& txn) const;
  // Gives it back, if it is the owner's.
  Result<void> release(const api::IpAddress& address, const ServiceName& owner,
                       store::Txn& txn) const;

  // A new IPAddress object, as text for the store.
  Result<store::Put> make_object(const api::IpAddress& address, const ServiceName& owner) const;
  std::string key(const api::IpAddress& address) const;

 private:
  Result<void> take(const api::IpAddress& address, const ServiceName& owner, store::Txn& txn) const;

  const store::Store& store_;
  const api::Resource& addresses_;
  const api::Resource& service_cidrs_;
  const Clock& clock_;
  Random& random_;
};

}  // namespace proa::apiserver
