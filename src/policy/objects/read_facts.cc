#include "policy/objects/read_facts.h"

#include <netinet/in.h>

#include <algorithm>
#include <limits>

#include "policy/objects/objects.h"

namespace proa::policy {
namespace read_facts {

std::optional<uint16_t> port_number(int64_t number) {
  if (number < 1 || number > std::numeric_limits<uint16_t>::max()) return std::nullopt;
  return static_cast<uint16_t>(number);
}

// Nullopt: matches nothing, since this is no port of a protocol with ports.
std::optional<Ports> read_ports(const objects::PolicyPort& port) {
  const auto protocol = protocol_number(port.protocol);
  if (!protocol) return std::nullopt;
  Ports ports{.protocol = *protocol};
  if (!port.port) return ports;
  if (!port.port->is_number()) {
    ports.name = port.port->text();
    return ports;
  }
  const auto first = port_number(port.port->number());
  const auto last = port.end_port ? port_number(*port.end_port) : first;
  if (!first || !last || *last < *first) return std::nullopt;
  ports.first = *first;
  ports.last = *last;
  return ports;
}

std::optional<AddressPeer> read_block(const objects::IpBlock& block) {
  const auto range = parse_prefix(block.cidr);
  if (!range) return std::nullopt;
  AddressPeer peer{.range = *range};
  for (const std::string_view text : block.except) {
    // What cannot be read excludes everything: less is allowed rather than more.
    const auto except = parse_prefix(text);
    if (!except) return std::nullopt;
    peer.except.push_back(*except);
  }
  return peer;
}

std::optional<Peer> read_peer(const objects::PolicyPeer& peer, std::string_view name_space) {
  if (peer.ip_block) {
    auto block = read_block(*peer.ip_block);
    return block ? std::optional<Peer>(std::move(*block)) : std::nullopt;
  }
  PodPeer pods;
  if (peer.pod_selector) pods.pods = *peer.pod_selector;
  if (peer.namespace_selector) {
    pods.namespaces = *peer.namespace_selector;
  } else {
    pods.name_space = name_space;
  }
  return pods;
}

// A rule whose peers or ports are all unreadable allows nothing; without any, everything.
void add_allowance(const std::vector<objects::PolicyPort>& ports,
                   const std::vector<objects::PolicyPeer>& peers, std::string_view name_space,
                   std::vector<Allowance>& into) {
  Allowance allowance;
  for (const objects::PolicyPort& port : ports) {
    if (auto read = read_ports(port)) allowance.ports.push_back(std::move(*read));
  }
  for (const objects::PolicyPeer& peer : peers) {
    if (auto read = read_peer(peer, name_space)) allowance.peers.push_back(std::move(*read));
  }
  if (allowance.ports.empty() != ports.empty() || allowance.peers.empty() != peers.empty()) return;
  into.push_back(std::move(allowance));
}

bool is_too_large(const PolicyFacts& facts) {
  size_t rules = 0;
  size_t selectors = 0;
  for (const Direction direction : kDirections) {
    for (const Allowance& allowance : facts.allowances(direction)) {
      ++rules;
      selectors += static_cast<size_t>(std::ranges::count_if(
          allowance.peers, [](const Peer& peer) { return std::holds_alternative<PodPeer>(peer); }));
    }
  }
  return rules > kMostRules || selectors > kMostSelectors;
}

void add_ports(const objects::Container& container, std::vector<NamedPort>& into) {
  for (const objects::ContainerPort& port : container.ports) {
    const auto number = port_number(port.number);
    const auto protocol = protocol_number(port.protocol);
    if (port.name.empty() || !number || !protocol) continue;
    into.push_back({.name = std::string(port.name), .protocol = *protocol, .number = *number});
  }
}

std::optional<PodFacts> facts_of(const api::Object& pod, const objects::Pod& read,
                                 std::vector<IpAddress> addresses, bool local) {
  const bool ended = read.status.phase == "Succeeded" || read.status.phase == "Failed";
  if (ended || read.spec.host_network || addresses.empty()) return std::nullopt;
  PodFacts facts{
      .local = local, .labels = read_labels(pod), .addresses = std::move(addresses), .ports = {}};
  for (const objects::Container& container : read.spec.containers) {
    add_ports(container, facts.ports);
  }
  for (const objects::Container& container : read.spec.init_containers) {
    // Sidecars run beside the others.
    if (container.restart_policy == "Always") add_ports(container, facts.ports);
  }
  return facts;
}

}  // namespace read_facts

std::optional<uint8_t> protocol_number(std::string_view name) {
  if (name == "TCP") return IPPROTO_TCP;
  if (name == "UDP") return IPPROTO_UDP;
  if (name == "SCTP") return IPPROTO_SCTP;
  return std::nullopt;
}

std::string_view protocol_name(uint8_t number) {
  if (number == IPPROTO_TCP) return "TCP";
  if (number == IPPROTO_UDP) return "UDP";
  return number == IPPROTO_SCTP ? "SCTP" : "";
}

Result<PolicyFacts> read_policy(const api::Object& policy) {
  const auto read = TRY(api::decode<objects::NetworkPolicy>(policy));
  const std::string_view name_space = policy.metadata().name_space;
  PolicyFacts facts{.pods = read.spec.pod_selector};
  for (const std::string_view type : read.spec.types) {
    facts.ingress = facts.ingress || type == "Ingress";
    facts.egress = facts.egress || type == "Egress";
  }
  // The server fills it in; other servers may not.
  if (read.spec.types.empty()) {
    facts.ingress = true;
    facts.egress = !read.spec.egress.empty();
  }
  for (const objects::IngressRule& rule : read.spec.ingress) {
    read_facts::add_allowance(rule.ports, rule.from, name_space, facts.from);
  }
  for (const objects::EgressRule& rule : read.spec.egress) {
    read_facts::add_allowance(rule.ports, rule.to, name_space, facts.to);
  }
  if (!read_facts::is_too_large(facts)) return facts;
  facts.too_large = true;
  facts.from.clear();
  facts.to.clear();
  return facts;
}

Labels read_labels(const api::Object& object) {
  Labels labels;
  labels.reserve(object.metadata().labels.size());
  for (const auto& [key, value] : object.metadata().labels) {
    labels.emplace_back(std::string(key), std::string(value));
  }
  return labels;
}

Result<std::optional<PodFacts>> read_pod(const api::Object& pod, std::string_view own_node) {
  const auto read = TRY(api::decode<objects::Pod>(pod));
  std::vector<IpAddress> addresses;
  for (const objects::PodAddress& address : read.status.addresses) {
    if (const auto parsed = parse_ip(address.ip)) addresses.push_back(*parsed);
  }
  const bool local = !own_node.empty() && read.spec.node_name == own_node;
  return read_facts::facts_of(pod, read, std::move(addresses), local);
}

std::optional<PodFacts> read_starting_pod(const api::Object& pod,
                                          const std::vector<IpAddress>& addresses) {
  const auto read = api::decode<objects::Pod>(pod);
  if (!read.ok()) return std::nullopt;
  return read_facts::facts_of(pod, *read, addresses, true);
}

}  // namespace proa::policy
