#include "proxy/nftables/address_rules.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

namespace proa::proxy::nftables {

namespace address_rules {

using nft::Verdict;

bool contains(const std::vector<IpAddress>& all, const IpAddress& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

nft::KeyWriter key_at(const Address& address) {
  nft::KeyWriter writer;
  if (address.space == Space::kServiceIp) writer.address(address.ip);
  writer.protocol(number_of(address.protocol)).port(address.port);
  return writer;
}

nft::Data value_of(const Endpoint& endpoint) {
  return nft::KeyWriter().address(endpoint.address).port(endpoint.port).take();
}

bool is_balanced(const Address& address, const ServicePort& port) {
  return address.space == Space::kServiceIp && contains(port.load_balancer_ips, address.ip);
}

bool is_external(const Address& address, const ServicePort& port) {
  return address.space == Space::kNodePort || is_balanced(address, port) ||
         contains(port.external_ips, address.ip);
}

Scope scope_of(const Address& address, const ServicePort& port) {
  if (is_external(address, port)) {
    return port.external_local ? Scope::kExternalLocal : Scope::kCluster;
  }
  return port.internal_local ? Scope::kInternalLocal : Scope::kCluster;
}

nft::Data data_of(uint32_t sticky_id, Scope scope) {
  return nft::KeyWriter().number(sticky_id | static_cast<uint32_t>(scope)).take();
}

// Collects the rules of one address.
class Collector {
 public:
  Collector(const Address& address, const ServicePort& port, uint32_t sticky_id)
      : address_(address), port_(port), sticky_id_(sticky_id), sets_(sets_of(address.space)) {}

  void lead_to(SharedChain chain) {
    add_chain_element(sets_.chains, std::move(chain));
    if (port_.affinity_seconds == 0) return;
    add_chain_element(sets_.sticky, RememberChain{address_.space, port_.affinity_seconds});
    add(sets_.ids, {key().take(), data_of(sticky_id_, scope_of(address_, port_))});
  }

  void check_sources(SourcesChain chain) {
    add_chain_element(SetId::kFirewallIps, std::move(chain));
  }

  // No endpoint takes this traffic.
  void refuse() {
    // Another node may have an endpoint: only this one is the wrong way.
    const Refusal refusal = port_.has_endpoints ? Refusal::kDrop : Refusal::kReject;
    add(sets_.no_endpoints, {key().take(), nftables::value_of(refusal)});
  }

  void add_endpoints(List list, const std::vector<Endpoint>& endpoints) {
    const bool local = list == List::kLocal;
    uint32_t index = 0;
    for (const Endpoint& endpoint : endpoints) {
      add(local ? sets_.local_endpoints : sets_.endpoints,
          {key().mark(index++).take(), value_of(endpoint)});
    }
  }

  AddressRules take() { return std::move(rules_); }

 private:
  nft::KeyWriter key() const { return key_at(address_); }

  void add(SetId set, nft::Element element) {
    rules_.elements.push_back({set, std::move(element)});
  }

  void add_chain_element(SetId set, SharedChain chain) {
    if (std::optional<ChainClass> named = class_of(chain)) {
      add(set, {key().take(), std::move(named->key)});
    } else {
      add(set, {key().take(), Verdict{Verdict::Kind::kGoto, nftables::name_of(chain)}});
    }
    rules_.chains.push_back(std::move(chain));
  }

  const Address& address_;
  const ServicePort& port_;
  const uint32_t sticky_id_;
  const SpaceSets& sets_;
  AddressRules rules_;
};

uint32_t size_of(const std::vector<Endpoint>& endpoints, uint32_t most = kMostEndpoints) {
  return static_cast<uint32_t>(std::min<size_t>(endpoints.size(), most));
}

void collect_internal(Collector& rules, const ServicePort& port) {
  const std::vector<Endpoint>& endpoints = port.internal_endpoints();
  if (endpoints.empty()) return rules.refuse();
  rules.lead_to(PickChain{.count = size_of(endpoints), .sticky = port.affinity_seconds > 0});
  rules.add_endpoints(List::kAll, endpoints);
}

void collect_external(Collector& rules, const ServicePort& port, Space space) {
  if (port.external_endpoints().empty()) rules.refuse();
  // Without an endpoint here, traffic of policy Local is still served if it is from inside.
  if (port.external_endpoints().empty() && !(port.external_local && port.has_endpoints)) return;
  rules.lead_to(ExternalChain{
      .space = space,
      .local_policy = port.external_local,
      .count = size_of(port.cluster_endpoints),
      .local_count = port.external_local ? size_of(port.local_endpoints, kMostLocalEndpoints) : 0,
      .sticky = port.affinity_seconds > 0,
  });
  rules.add_endpoints(List::kAll, port.cluster_endpoints);
  if (port.external_local) rules.add_endpoints(List::kLocal, port.local_endpoints);
}

// Who may use the load balancer's addresses.
SourcesChain sources_of(const ServicePort& port, const NodeFacts& node) {
  SourcesChain chain{port.source_ranges};
  const bool node_allowed =
      std::any_of(port.source_ranges.begin(), port.source_ranges.end(), [&](const IpPrefix& range) {
        return std::any_of(node.addresses.begin(), node.addresses.end(),
                           [&](const IpAddress& address) {
                             return family_of(address) == port.family && range.contains(address);
                           });
      });
  if (!node_allowed) return chain;
  // Where the load balancer's address is local, this node's own requests come from there.
  for (const IpAddress& ip : port.load_balancer_ips) {
    const bool v6 = port.family == Family::kV6;
    chain.ranges.push_back({.address = ip, .bits = v6 ? 128U : 32U, .v6 = v6});
  }
  return chain;
}

}  // namespace address_rules

size_t AddressHash::operator()(const Address& address) const {
  const std::string_view ip(reinterpret_cast<const char*>(address.ip.bytes.data()),
                            address.ip.bytes.size());
  const auto rest = static_cast<size_t>(address.port) << 16 |
                    static_cast<size_t>(address.protocol) << 8 | static_cast<size_t>(address.space);
  return std::hash<std::string_view>()(ip) ^ rest * 0x9e3779b97f4a7c15U;
}

std::vector<Address> addresses_of(const ServicePort& port) {
  std::vector<Address> all;
  const auto add = [&](const IpAddress& ip) {
    const Address address{Space::kServiceIp, port.name.protocol, port.port, ip};
    if (std::find(all.begin(), all.end(), address) == all.end()) all.push_back(address);
  };
  add(port.cluster_ip);
  for (const IpAddress& ip : port.external_ips) add(ip);
  for (const IpAddress& ip : port.load_balancer_ips) add(ip);
  if (port.node_port != 0) {
    all.push_back(
        {.space = Space::kNodePort, .protocol = port.name.protocol, .port = port.node_port});
  }
  return all;
}

AddressRules rules_at(const Address& address, const ServicePort& port, uint32_t sticky_id,
                      const NodeFacts& node) {
  address_rules::Collector rules(address, port, sticky_id);
  if (address_rules::is_external(address, port)) {
    address_rules::collect_external(rules, port, address.space);
  } else {
    address_rules::collect_internal(rules, port);
  }
  // Node ports are open to all, as upstream's are.
  if (address_rules::is_balanced(address, port) && !port.source_ranges.empty()) {
    rules.check_sources(address_rules::sources_of(port, node));
  }
  return rules.take();
}

std::set<Memory> memories_of(const ServicePort& port, uint32_t sticky_id, Remote remote) {
  std::set<Memory> memories;
  std::set<Scope> known;
  for (const Address& address : addresses_of(port)) {
    const Scope scope = address_rules::scope_of(address, port);
    if (!known.insert(scope).second) continue;
    const nft::Data key = address_rules::data_of(sticky_id, scope);
    const auto add = [&](const std::vector<Endpoint>& endpoints) {
      for (const Endpoint& endpoint : endpoints) {
        memories.insert({key, address_rules::value_of(endpoint)});
      }
    };
    const bool local = scope != Scope::kCluster;
    if (local) add(port.local_endpoints);
    if (!local || (scope == Scope::kExternalLocal && remote == Remote::kAllowed)) {
      add(port.cluster_endpoints);
    }
  }
  return memories;
}

std::vector<TableElement> common_elements(const ServicePort& port) {
  std::vector<TableElement> elements;
  elements.push_back({SetId::kClusterIps, {nft::KeyWriter().address(port.cluster_ip).take()}});
  for (const Endpoint& endpoint : port.reachable_endpoints()) {
    if (!endpoint.local) continue;
    elements.push_back({SetId::kHairpins,
                        {nft::KeyWriter()
                             .address(endpoint.address)
                             .address(endpoint.address)
                             .protocol(number_of(port.name.protocol))
                             .port(endpoint.port)
                             .take()}});
  }
  return elements;
}

}  // namespace proa::proxy::nftables
