#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"

namespace proa::proxy {

// Rules of the two address families never mix.
enum class Family : uint8_t { kV4, kV6 };

// "IPv4", "IPv6"
std::string_view name_of(Family family);
Family family_of(const IpAddress& address);
Family family_of(const IpPrefix& prefix);

enum class Protocol : uint8_t { kTcp, kUdp, kSctp };

// "TCP"
std::string_view name_of(Protocol protocol);
// "tcp"
std::string_view lower_name_of(Protocol protocol);
// IPPROTO_TCP
uint8_t number_of(Protocol protocol);
std::optional<Protocol> parse_protocol(std::string_view text);

// Identifies a port of a Service: in an address family, the unit of rules.
struct ServicePortName {
  std::string name_space;
  std::string service;
  std::string port;  // empty if the Service names none
  Protocol protocol = Protocol::kTcp;

  // "default/web:http", "default/web"
  std::string str() const;
  auto operator<=>(const ServicePortName&) const = default;
};

// Where the traffic of a Service is sent.
struct Endpoint {
  IpAddress address;
  uint16_t port = 0;
  bool local = false;  // on this node

  // "10.1.0.5:80", "[fd00::5]:80"
  std::string str() const;
  auto operator<=>(const Endpoint&) const = default;
};

// One port of a Service in one address family, with the endpoints that were chosen for this node.
// All addresses are of the family. Sorted lists without duplicates.
struct ServicePort {
  ServicePortName name;
  Family family = Family::kV4;
  IpAddress cluster_ip;
  uint16_t port = 0;
  uint16_t node_port = 0;  // zero: none
  std::vector<IpAddress> external_ips;
  // Those whose packets arrive with the load balancer's address (ipMode VIP).
  std::vector<IpAddress> load_balancer_ips;
  // Who may use the load balancer IPs. Empty: all.
  std::vector<IpPrefix> source_ranges;
  uint32_t affinity_seconds = 0;   // zero: no affinity
  bool internal_local = false;     // internalTrafficPolicy Local: of the cluster IP
  bool external_local = false;     // externalTrafficPolicy Local: of all the other addresses
  uint16_t health_check_port = 0;  // healthCheckNodePort; zero: none

  // For traffic of policy Cluster; empty if there is never such traffic.
  std::vector<Endpoint> cluster_endpoints;
  // For traffic of policy Local; empty if there is never such traffic.
  std::vector<Endpoint> local_endpoints;
  // Some node has an endpoint that is usable. Without any, traffic is rejected; with some, but none
  // on this node, traffic of policy Local is dropped.
  bool has_endpoints = false;
  // Of UDP: where existing flows may go on, which are all endpoints that serve, on any node. No
  // rule depends on them.
  std::vector<Endpoint> serving_endpoints;

  // Reachable by another address than the cluster IP.
  bool externally_accessible() const {
    return node_port != 0 || !external_ips.empty() || !load_balancer_ips.empty();
  }
  // Also where the external policy is Local: pods and this node itself are not external.
  bool uses_cluster_endpoints() const { return !internal_local || externally_accessible(); }
  bool uses_local_endpoints() const {
    return internal_local || (external_local && externally_accessible());
  }
  // Endpoints for traffic to the cluster IP, and for external traffic.
  const std::vector<Endpoint>& internal_endpoints() const {
    return internal_local ? local_endpoints : cluster_endpoints;
  }
  const std::vector<Endpoint>& external_endpoints() const {
    return external_local ? local_endpoints : cluster_endpoints;
  }
  // Endpoints of either list.
  std::vector<Endpoint> reachable_endpoints() const;

  bool operator==(const ServicePort&) const = default;
};

using ServicePortPtr = std::shared_ptr<const ServicePort>;

}  // namespace proa::proxy
