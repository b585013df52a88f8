#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/limits/log_limit.h"
#include "proxy/rules.h"

namespace proa::proxy {

// Who has an address that several ports of Services claim: the one whose cluster IP it is, always;
// then one with endpoints before one without; then the first by name. The others are passed on
// without the address, so that all modes agree, and nobody takes over a cluster IP by the status of
// a load balancer. For one thread.
class Claims {
 public:
  // REQUIRES: `clock` outlives it.
  explicit Claims(const Clock& clock);

  // Turns changes of what Services say, of each port at most one, into changes of what modes are
  // told. Ports that win or lose an address by them are added.
  void settle(std::vector<Change>& changes);
  // What modes are told of a port that was settled.
  ServicePortPtr settled(const ServicePortPtr& port) const;

 private:
  struct Address {
    IpAddress ip;
    uint16_t port = 0;
    Protocol protocol = Protocol::kTcp;

    bool operator==(const Address&) const = default;
  };
  struct AddressHash {
    size_t operator()(const Address& address) const;
  };
  using Place = std::pair<Family, ServicePortName>;
  struct Reduced {
    ServicePortPtr port;  // without the addresses that it lost
    std::vector<Address> lost;
  };

  static Place place_of(const ServicePort& port) { return {port.family, port.name}; }
  static Address address_of(const ServicePort& port, const IpAddress& ip) {
    return {.ip = ip, .port = port.port, .protocol = port.name.protocol};
  }
  // Besides the cluster IP.
  static std::vector<Address> external_addresses(const ServicePort& port);
  void add(const ServicePortPtr& port);
  void remove(const ServicePort& port);
  // The strongest ones that claim addresses of the port, other than as cluster IPs.
  using Rivals = std::map<Place, ServicePortPtr>;
  void add_rivals(const ServicePortPtr& port, Rivals& rivals) const;
  // REQUIRES: somebody claims it.
  const ServicePort& owner_of(const Address& address) const;
  Reduced reduce(const ServicePort& port) const;
  void log_lost(const ServicePort& port, const Reduced& now);
  void tell(const ServicePortPtr& before, const ServicePortPtr& after,
            std::vector<Change>& changes);

  std::unordered_map<Address, ServicePortPtr, AddressHash> cluster_ips_;
  // The strongest one first.
  std::unordered_map<Address, std::vector<ServicePortPtr>, AddressHash> externals_;
  std::map<Place, Reduced> reduced_;  // ports that lost addresses
  LogLimit log_limit_;                // users make conflicts as often as they like
};

}  // namespace proa::proxy
