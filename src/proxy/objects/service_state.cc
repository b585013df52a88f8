#include "proxy/objects/service_state.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>

#include "base/log.h"
#include "base/strings.h"
#include "proxy/model/choose.h"
#include "proxy/objects/objects.h"

namespace proa::proxy {
namespace service_state {

const Log kLog{"proxy"};
constexpr Family kFamilies[] = {Family::kV4, Family::kV6};

using objects::EndpointSlice;
using objects::Service;

// The number of a port that may be used; zero for all others.
uint16_t port_number(int64_t number) {
  return number > 0 && number <= std::numeric_limits<uint16_t>::max()
             ? static_cast<uint16_t>(number)
             : uint16_t{0};
}

std::optional<IpAddress> cluster_ip(const objects::ServiceSpec& spec, Family family) {
  if (spec.families.empty()) {
    const std::optional<IpAddress> only = parse_ip(spec.cluster_ip);
    return only && family_of(*only) == family ? only : std::nullopt;
  }
  for (size_t i = 0; i < spec.families.size() && i < spec.cluster_ips.size(); ++i) {
    if (spec.families[i] == name_of(family)) return parse_ip(spec.cluster_ips[i]);
  }
  return std::nullopt;
}

void sort_unique(std::vector<IpAddress>& addresses) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
}

void add_if_of(Family family, std::string_view text, std::vector<IpAddress>& to) {
  const std::optional<IpAddress> address = parse_ip(text);
  if (address && family_of(*address) == family) to.push_back(*address);
}

std::vector<IpPrefix> source_ranges(const objects::ServiceSpec& spec, Family family) {
  std::vector<IpPrefix> ranges;
  for (const std::string& text : spec.source_ranges) {
    const std::optional<IpPrefix> range = parse_prefix(trim(text));  // validation allows blanks
    if (!range || family_of(*range) != family) continue;
    if (range->bits == 0) return {};  // everybody
    ranges.push_back({.address = range->base(), .bits = range->bits, .v6 = range->v6});
  }
  const auto order = [](const IpPrefix& a, const IpPrefix& b) {
    return std::tie(a.address, a.bits) < std::tie(b.address, b.bits);
  };
  std::sort(ranges.begin(), ranges.end(), order);
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  return ranges;
}

bool has_external_addresses(const objects::ServiceSpec& spec) {
  return spec.type == "LoadBalancer" || spec.type == "NodePort" || !spec.external_ips.empty();
}

// What all ports of a Service have in common in one family. Nullopt: it has no cluster IP there.
std::optional<ServicePort> common_port(const api::Metadata& metadata, const Service& service,
                                       Family family) {
  const objects::ServiceSpec& spec = service.spec;
  const std::optional<IpAddress> address = cluster_ip(spec, family);
  if (!address || family_of(*address) != family) return std::nullopt;
  ServicePort port;
  port.name.name_space = metadata.name_space;
  port.name.service = metadata.name;
  port.family = family;
  port.cluster_ip = *address;
  for (const std::string_view text : spec.external_ips) add_if_of(family, text, port.external_ips);
  for (const kinds::BalancerIngress& ingress : service.status.balancer.ingress) {
    if (ingress.mode == "VIP") add_if_of(family, ingress.ip, port.load_balancer_ips);
  }
  sort_unique(port.external_ips);
  sort_unique(port.load_balancer_ips);
  port.source_ranges = source_ranges(spec, family);
  if (spec.affinity == "ClientIP") {
    constexpr int64_t kMostSeconds = 86400;
    port.affinity_seconds = static_cast<uint32_t>(
        std::clamp(spec.affinity_config.client_ip.timeout_seconds, int64_t{1}, kMostSeconds));
  }
  port.internal_local = spec.internal_policy == "Local";
  port.external_local = spec.external_policy == "Local" && has_external_addresses(spec);
  if (port.external_local && spec.type == "LoadBalancer") {
    port.health_check_port = port_number(spec.health_check_port);
  }
  return port;
}

// Names become parts of rules' text: a server that lets others through must not write rules.
bool is_plain(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  });
}

std::vector<ServicePort> ports_of(const api::Metadata& metadata, const Service& service) {
  std::vector<ServicePort> ports;
  if (service.spec.type == "ExternalName" || !is_plain(metadata.name_space) ||
      !is_plain(metadata.name)) {
    return ports;
  }
  for (const Family family : kFamilies) {
    const std::optional<ServicePort> common = common_port(metadata, service, family);
    if (!common) continue;
    for (const objects::ServicePortSpec& spec : service.spec.ports) {
      const std::optional<Protocol> protocol = parse_protocol(spec.protocol);
      const uint16_t number = port_number(spec.port);
      if (!protocol || number == 0 || !is_plain(spec.name)) continue;
      ServicePort& port = ports.emplace_back(*common);
      port.name.port = spec.name;
      port.name.protocol = *protocol;
      port.port = number;
      port.node_port = port_number(spec.node_port);
    }
  }
  std::sort(ports.begin(), ports.end(), [](const ServicePort& a, const ServicePort& b) {
    return std::tie(a.family, a.name) < std::tie(b.family, b.name);
  });
  const auto same = [](const ServicePort& a, const ServicePort& b) {
    return a.family == b.family && a.name == b.name;
  };
  ports.erase(std::unique(ports.begin(), ports.end(), same), ports.end());
  return ports;
}

Candidate candidate_of(const objects::SliceEndpoint& endpoint, const IpAddress& address,
                       const NodeFacts& node) {
  Candidate candidate;
  candidate.endpoint.address = address;
  candidate.endpoint.local = !node.name.empty() && endpoint.node == node.name;
  candidate.ready = endpoint.conditions.ready;
  candidate.serving = endpoint.conditions.serving;
  candidate.terminating = endpoint.conditions.terminating;
  for (const objects::ZoneHint& hint : endpoint.hints.zones) candidate.zones.push_back(hint.name);
  for (const objects::NodeHint& hint : endpoint.hints.nodes) candidate.nodes.push_back(hint.name);
  return candidate;
}

// The endpoints of all slices, for each port of the Service.
class Gathering {
 public:
  Gathering(const std::vector<ServicePort>& ports, const NodeFacts& node)
      : ports_(ports), node_(node), candidates_(ports.size()) {}

  void add(const EndpointSlice& slice) {
    for (const Family family : kFamilies) {
      if (slice.address_type == name_of(family)) add(slice, family);
    }
  }

  std::vector<Candidate>& of(size_t port) { return candidates_[port]; }
  size_t local_ready(Family family) const {
    return local_ready_[static_cast<size_t>(family)].size();
  }

 private:
  void add(const EndpointSlice& slice, Family family) {
    std::vector<Candidate> all;
    all.reserve(slice.endpoints.size());
    for (const objects::SliceEndpoint& endpoint : slice.endpoints) {
      const std::optional<IpAddress> address =
          endpoint.addresses.empty() ? std::nullopt : parse_ip(endpoint.addresses.front());
      if (!address || family_of(*address) != family) continue;
      all.push_back(candidate_of(endpoint, *address, node_));
    }
    for (const objects::SlicePort& port : slice.ports) add(port, family, all);
  }

  void add(const objects::SlicePort& slice_port, Family family,
           const std::vector<Candidate>& candidates) {
    const uint16_t number = port_number(slice_port.port);
    const std::optional<Protocol> protocol = parse_protocol(slice_port.protocol);
    if (!slice_port.name || number == 0 || !protocol) return;
    for (const Candidate& candidate : candidates) {
      if (candidate.ready && candidate.endpoint.local) {
        local_ready_[static_cast<size_t>(family)].insert(candidate.endpoint.address);
      }
    }
    for (size_t i = 0; i < ports_.size(); ++i) {
      const ServicePort& port = ports_[i];
      if (port.family != family || port.name.port != *slice_port.name ||
          port.name.protocol != *protocol) {
        continue;
      }
      for (const Candidate& candidate : candidates) {
        candidates_[i].push_back(candidate);
        candidates_[i].back().endpoint.port = number;
      }
    }
  }

  const std::vector<ServicePort>& ports_;
  const NodeFacts& node_;
  std::vector<std::vector<Candidate>> candidates_;
  std::array<std::set<IpAddress>, 2> local_ready_;
};

}  // namespace service_state

std::string_view service_of_slice(const api::Object& slice) {
  const std::string_view* service = slice.metadata().label("kubernetes.io/service-name");
  return service == nullptr ? std::string_view() : *service;
}

ServiceState read_service(const api::Object& service, std::span<const api::ObjectPtr> slices,
                          const NodeFacts& node) {
  ServiceState state;
  const auto decoded = api::decode<service_state::Service>(service);
  if (!decoded) {
    service_state::kLog.warn("reading a Service failed",
                             {{"service", service.metadata().name}, {"error", decoded.status()}});
    return state;
  }
  state.ports = service_state::ports_of(service.metadata(), *decoded);
  if (state.ports.empty()) return state;
  state.health_check_port = state.ports.front().health_check_port;
  service_state::Gathering gathering(state.ports, node);
  for (const api::ObjectPtr& object : slices) {
    const auto slice = api::decode<service_state::EndpointSlice>(*object);
    if (!slice) {
      service_state::kLog.warn(
          "reading an EndpointSlice failed",
          {{"endpointSlice", object->metadata().name}, {"error", slice.status()}});
      continue;
    }
    gathering.add(*slice);
    const Result<Time> trigger = parse_time(slice->metadata.annotations.trigger_time);
    if (!trigger) continue;
    for (const Family family : service_state::kFamilies) {
      if (slice->address_type == name_of(family)) {
        state.triggers[static_cast<size_t>(family)].push_back(*trigger);
      }
    }
  }
  for (size_t i = 0; i < state.ports.size(); ++i) {
    remove_duplicates(gathering.of(i));
    choose_endpoints(gathering.of(i), node, state.ports[i]);
  }
  for (const Family family : service_state::kFamilies) {
    state.local_ready[static_cast<size_t>(family)] = gathering.local_ready(family);
  }
  return state;
}

}  // namespace proa::proxy
