#include "policy/explain/cluster.h"

#include <algorithm>

#include "api/object/view.h"
#include "policy/model/dns_pod.h"
#include "policy/objects/read_facts.h"

namespace proa::policy {
namespace explained_cluster {

using api::View;

uint16_t port_of(View number) { return static_cast<uint16_t>(number.integer()); }

uint8_t protocol_of(View name) { return protocol_number(name.text("TCP")).value_or(0); }

void add_address(std::string_view text, std::vector<IpAddress>& into) {
  if (const auto address = parse_ip(text)) into.push_back(*address);
}

bool has(const std::vector<IpAddress>& addresses, const IpAddress& address) {
  return std::ranges::find(addresses, address) != addresses.end();
}

// By the label that keeps proxies from routing its addresses.
bool is_dns_of_nodes(const api::Object& service) {
  const std::string_view* proxy =
      service.metadata().label("service.kubernetes.io/service-proxy-name");
  return service.metadata().name_space == "kube-system" && service.metadata().name == "kube-dns" &&
         proxy != nullptr && *proxy == "proa-dns";
}

void add_ports(View container, std::vector<NamedPort>& into) {
  for (const View port : container["ports"].items()) {
    into.push_back({std::string(port["name"].text()), protocol_of(port["protocol"]),
                    port_of(port["containerPort"])});
  }
}

template <typename Work>
void read(const api::Object& object, Work work) {
  // What cannot be read decides nothing.
  const auto document = object.document();
  if (document.ok()) work(View(document->root()));
}

}  // namespace explained_cluster

void Cluster::add_policy(const api::Object& policy) {
  auto facts = read_policy(policy);
  if (facts.ok()) model_.set_policy(client::Key::of(policy), std::move(*facts));
}

void Cluster::add_namespace(const api::Object& name_space) {
  model_.set_namespace(std::string(name_space.metadata().name), read_labels(name_space));
}

void Cluster::add_pod(const api::Object& object) {
  using namespace explained_cluster;  // NOLINT: this unit's own
  read(object, [&](View pod) {
    KnownPod known{.key = client::Key::of(object),
                   .node = std::string(pod["spec"]["nodeName"].text()),
                   .host_network = pod["spec"]["hostNetwork"].flag()};
    const std::string_view phase = pod["status"]["phase"].text();
    known.ended = phase == "Succeeded" || phase == "Failed";
    for (const View address : pod["status"]["podIPs"].items()) {
      add_address(address["ip"].text(), known.addresses);
    }
    for (const View container : pod["spec"]["containers"].items()) {
      add_ports(container, known.ports);
    }
    for (const View container : pod["spec"]["initContainers"].items()) {
      // Sidecars run beside the others.
      if (container["restartPolicy"].text() == "Always") add_ports(container, known.ports);
    }
    auto facts = read_pod(object, known.node);
    if (facts.ok()) model_.set_pod(known.key, std::move(*facts));
    pods_.emplace(known.key, std::move(known));
  });
}

void Cluster::add_node(const api::Object& object) {
  using namespace explained_cluster;  // NOLINT: this unit's own
  read(object, [&](View node) {
    KnownNode known{.name = std::string(object.metadata().name)};
    for (const View address : node["status"]["addresses"].items()) {
      add_address(address["address"].text(), known.addresses);
    }
    for (const View range : node["spec"]["podCIDRs"].items()) {
      if (const auto prefix = parse_prefix(range.text())) known.ranges.push_back(*prefix);
    }
    nodes_.push_back(std::move(known));
  });
}

void Cluster::add_service(const api::Object& object) {
  using namespace explained_cluster;  // NOLINT: this unit's own
  read(object, [&](View service) {
    KnownService known{.key = client::Key::of(object), .dns_of_nodes = is_dns_of_nodes(object)};
    if (service["spec"]["type"].text() == "ExternalName") {
      known.external_name = service["spec"]["externalName"].text();
    }
    for (const View ip : service["spec"]["clusterIPs"].items()) {
      if (ip.text() == "None") known.headless = true;
      add_address(ip.text(), known.cluster_ips);
    }
    if (known.dns_of_nodes) model_.set_pod(dns_pod_key(), dns_pod(known.cluster_ips));
    for (const View ip : service["spec"]["externalIPs"].items()) {
      add_address(ip.text(), known.outer_addresses);
    }
    for (const View one : service["status"]["loadBalancer"]["ingress"].items()) {
      add_address(one["ip"].text(), known.outer_addresses);
    }
    for (const View port : service["spec"]["ports"].items()) {
      known.ports.push_back({.name = std::string(port["name"].text()),
                             .protocol = protocol_of(port["protocol"]),
                             .port = port_of(port["port"]),
                             .node_port = port_of(port["nodePort"])});
    }
    services_.emplace(known.key, std::move(known));
  });
}

void Cluster::add_slice(const api::Object& object) {
  using namespace explained_cluster;  // NOLINT: this unit's own
  const std::string_view* service = object.metadata().label("kubernetes.io/service-name");
  if (service == nullptr) return;
  read(object, [&](View slice) {
    KnownSlice known{.service = {std::string(object.metadata().name_space), std::string(*service)}};
    for (const View endpoint : slice["endpoints"].items()) {
      if (!endpoint["conditions"]["ready"].flag(true)) continue;
      for (const View address : endpoint["addresses"].items()) {
        add_address(address.text(), known.addresses);
      }
    }
    for (const View port : slice["ports"].items()) {
      known.ports.push_back({.name = std::string(port["name"].text()),
                             .protocol = protocol_of(port["protocol"]),
                             .port = port_of(port["port"])});
    }
    slices_.push_back(std::move(known));
  });
}

void Cluster::add_service_range(const api::Object& object) {
  using namespace explained_cluster;  // NOLINT: this unit's own
  read(object, [&](View service_cidr) {
    for (const View range : service_cidr["spec"]["cidrs"].items()) {
      if (const auto prefix = parse_prefix(range.text())) service_ranges_.push_back(*prefix);
    }
  });
}

const KnownPod* Cluster::pod(const client::Key& key) const {
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : &found->second;
}

const KnownPod* Cluster::pod_at(const IpAddress& address) const {
  for (const auto& [key, pod] : pods_) {
    if (pod.host_network || pod.ended) continue;
    if (explained_cluster::has(pod.addresses, address)) return &pod;
  }
  return nullptr;
}

const KnownNode* Cluster::node(const std::string& name) const {
  const auto found = std::ranges::find(nodes_, name, &KnownNode::name);
  return found == nodes_.end() ? nullptr : &*found;
}

const KnownNode* Cluster::node_at(const IpAddress& address) const {
  const auto found = std::ranges::find_if(nodes_, [&](const KnownNode& node) {
    return explained_cluster::has(node.addresses, address);
  });
  return found == nodes_.end() ? nullptr : &*found;
}

bool Cluster::is_dns(const IpAddress& address) const {
  return std::ranges::any_of(services_, [&](const auto& one) {
    return one.second.dns_of_nodes && explained_cluster::has(one.second.cluster_ips, address);
  });
}

const KnownNode* Cluster::node_of_range(const IpAddress& address) const {
  const auto found = std::ranges::find_if(nodes_, [&](const KnownNode& node) {
    return std::ranges::any_of(node.ranges,
                               [&](const IpPrefix& range) { return range.contains(address); });
  });
  return found == nodes_.end() ? nullptr : &*found;
}

const KnownService* Cluster::service(const client::Key& key) const {
  const auto found = services_.find(key);
  return found == services_.end() ? nullptr : &found->second;
}

std::optional<ServiceMatch> Cluster::service_at(const IpAddress& address, uint8_t protocol,
                                                uint16_t port) const {
  const bool is_node = node_at(address) != nullptr;
  for (const auto& [key, service] : services_) {
    if (service.dns_of_nodes) continue;
    const bool has_address = explained_cluster::has(service.cluster_ips, address) ||
                             explained_cluster::has(service.outer_addresses, address);
    for (const KnownServicePort& one : service.ports) {
      if (one.protocol != protocol) continue;
      const bool by_node = is_node && one.node_port != 0 && one.node_port == port;
      if (by_node || (has_address && one.port == port)) return ServiceMatch{&service, &one};
    }
  }
  return std::nullopt;
}

const KnownService* Cluster::service_of_cluster_ip(const IpAddress& address) const {
  const auto found = std::ranges::find_if(services_, [&](const auto& one) {
    return explained_cluster::has(one.second.cluster_ips, address);
  });
  return found == services_.end() ? nullptr : &found->second;
}

const IpPrefix* Cluster::service_range_of(const IpAddress& address) const {
  const auto found = std::ranges::find_if(
      service_ranges_, [&](const IpPrefix& range) { return range.contains(address); });
  return found == service_ranges_.end() ? nullptr : &*found;
}

std::vector<KnownEndpoint> Cluster::endpoints_of(const ServiceMatch& match, bool v6) const {
  std::vector<KnownEndpoint> endpoints;
  for (const KnownSlice& slice : slices_) {
    if (slice.service != match.service->key) continue;
    for (const KnownServicePort& port : slice.ports) {
      if (port.name != match.port->name || port.protocol != match.port->protocol) continue;
      for (const IpAddress& address : slice.addresses) {
        if (address.is_v4() != v6) endpoints.push_back({address, port.port});
      }
    }
  }
  return endpoints;
}

std::vector<IpAddress> Cluster::addresses_of(const KnownService& service) const {
  std::vector<IpAddress> addresses;
  for (const KnownSlice& slice : slices_) {
    if (slice.service != service.key) continue;
    for (const IpAddress& address : slice.addresses) {
      if (!explained_cluster::has(addresses, address)) addresses.push_back(address);
    }
  }
  return addresses;
}

}  // namespace proa::policy
