#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "base/result.h"
#include "dns/message/name.h"
#include "dns/message/writer.h"

namespace proa::dns {

// The zone of a cluster, with the names that its answers repeat.
class Zone {
 public:
  struct Options {
    std::string_view domain = "cluster.local";
    uint32_t ttl = 30;      // kubeadm's
    bool pod_names = true;  // whether names below pod have addresses
    // Where the cluster's DNS is: the addresses of ns.dns.DOMAIN.
    std::vector<IpAddress> servers = {};
  };
  // Fails if the domain is not a name, or so long that no name of a Service fits below it.
  static Result<Zone> make(const Options& options);

  NameView name() const { return name_; }
  uint32_t ttl() const { return ttl_; }
  bool pod_names() const { return pod_names_; }
  const std::vector<IpAddress>& servers() const { return servers_; }
  NameView name_server() const { return name_server_; }
  // "SERVICE.NAMESPACE.svc.DOMAIN", below `label` if it is not empty. Labels come from the API, so
  // they fit; the root if they do not.
  Name service_name(std::string_view label, std::string_view service,
                    std::string_view name_space) const;
  // The record that comes with negative answers.
  bool write_soa(Writer& writer, Section section, uint32_t serial) const;

 private:
  Zone() = default;

  Name name_;
  Name services_;     // svc.DOMAIN
  Name name_server_;  // ns.dns.DOMAIN
  Name mailbox_;      // hostmaster.DOMAIN
  uint32_t ttl_ = 0;
  bool pod_names_ = true;
  std::vector<IpAddress> servers_;
};

// The address that a name below in-addr.arpa or ip6.arpa is for; nullopt if it is none.
std::optional<IpAddress> reverse_address(NameView name);
// The name below in-addr.arpa or ip6.arpa that is for the address.
Name reverse_name(const IpAddress& address);

}  // namespace proa::dns
