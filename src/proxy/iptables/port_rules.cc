#include "proxy/iptables/port_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "proxy/iptables/chains.h"

namespace proa::proxy::iptables {
namespace port_rules_text {

std::string mark_text() { return fmt::format("{:#010x}", kMasqueradeMark); }

// The first range only, as upstream: iptables has no rule for "in none of these".
std::optional<std::string> pod_range(const NodeFacts& node, Family family) {
  for (const IpPrefix& range : node.pod_ranges) {
    if (family_of(range) == family) return range.str();
  }
  return std::nullopt;
}

std::optional<IpAddress> node_address(const NodeFacts& node, Family family) {
  for (const IpAddress& address : node.addresses) {
    if (family_of(address) == family) return address;
  }
  return std::nullopt;
}

bool is_loopback(const IpAddress& address) {
  return address.is_v4() ? address.bytes[12] == 127 : address == parse_ip("::1");
}

// Makes the rules of one port.
class Writer {
 public:
  Writer(const ServicePort& port, const NodeFacts& node, const RuleOptions& options)
      : port_(port),
        node_(node),
        options_(options),
        name_(port.name.str()),
        protocol_(lower_name_of(port.name.protocol)),
        cluster_chain_(chain_of(PortChain::kCluster, port.name)),
        local_chain_(chain_of(PortChain::kLocal, port.name)),
        external_chain_(chain_of(PortChain::kExternal, port.name)),
        ranges_chain_(chain_of(PortChain::kSourceRanges, port.name)),
        has_internal_(port.has_endpoints && !port.internal_endpoints().empty()),
        has_external_(port.has_endpoints && !port.external_endpoints().empty()),
        uses_ranges_(port.has_endpoints && !port.load_balancer_ips.empty() &&
                     !port.source_ranges.empty()) {}

  PortRules write() {
    capture_cluster_ip();
    capture_external_ips();
    capture_load_balancer_ips();
    capture_node_port();
    if (port_.health_check_port != 0) {
      filter(kNodePorts,
             fmt::format("-m comment --comment \"{} health check node port\" -m tcp -p tcp --dport "
                         "{} -j ACCEPT",
                         name_, port_.health_check_port));
    }
    if (port_.has_endpoints && port_.externally_accessible()) write_external_chain();
    if (uses_ranges_) write_ranges_chain();
    write_policy_chain(cluster_chain_, port_.cluster_endpoints, !port_.internal_local);
    write_policy_chain(local_chain_, port_.local_endpoints, port_.internal_local);
    for (const Endpoint& endpoint : port_.reachable_endpoints()) write_endpoint_chain(endpoint);
    return std::move(rules_);
  }

 private:
  void filter(std::string_view chain, std::string_view rule) {
    rules_.filter.push_back(fmt::format("{} {}", chain, rule));
  }
  void nat(std::string_view chain, std::string_view rule) {
    rules_.nat.push_back(fmt::format("{} {}", chain, rule));
  }
  static void add(Chain& chain, std::string_view rule) {
    chain.lines.push_back(fmt::format("{} {}", chain.name, rule));
  }

  // "-m tcp -p tcp -d 10.0.0.1 --dport 80"
  std::string to(const IpAddress& address) const {
    return fmt::format("-m {0} -p {0} -d {1} --dport {2}", protocol_, address.str(), port_.port);
  }
  std::string to_node_port() const {
    return fmt::format("-m {0} -p {0} --dport {1}", protocol_, port_.node_port);
  }
  std::string comment(std::string_view text) const {
    if (!options_.comments) return "";
    return fmt::format("-m comment --comment {} ", text);
  }
  // How traffic without endpoints is refused: at once where there are none at all, silently where
  // other nodes have some.
  std::string refusal(std::string_view match) const {
    return fmt::format("-m comment --comment \"{} has no {}endpoints\" {} -j {}", name_,
                       port_.has_endpoints ? "local " : "", match,
                       port_.has_endpoints ? "DROP" : "REJECT");
  }

  void capture_cluster_ip() {
    const std::string match = to(port_.cluster_ip);
    if (has_internal_) {
      nat(kServices, fmt::format("-m comment --comment \"{} cluster IP\" {} -j {}", name_, match,
                                 port_.internal_local ? local_chain_ : cluster_chain_));
    } else {
      filter(kServices, refusal(match));
    }
  }

  void capture_external_ips() {
    for (const IpAddress& address : port_.external_ips) {
      const std::string match = to(address);
      if (port_.has_endpoints) {
        nat(kServices, fmt::format("-m comment --comment \"{} external IP\" {} -j {}", name_, match,
                                   external_chain_));
      }
      if (!has_external_) filter(kExternalServices, refusal(match));
    }
  }

  void capture_load_balancer_ips() {
    for (const IpAddress& address : port_.load_balancer_ips) {
      const std::string match = to(address);
      if (port_.has_endpoints) {
        nat(kServices, fmt::format("-m comment --comment \"{} loadbalancer IP\" {} -j {}", name_,
                                   match, uses_ranges_ ? ranges_chain_ : external_chain_));
      }
      if (uses_ranges_) {
        filter(kProxyFirewall,
               fmt::format("-m comment --comment \"{} traffic not accepted by {}\" {} -j DROP",
                           name_, ranges_chain_, match));
      }
      if (!has_external_) filter(kExternalServices, refusal(match));
    }
  }

  void capture_node_port() {
    if (port_.node_port == 0) return;
    const std::string match = to_node_port();
    if (port_.has_endpoints) {
      nat(kNodePorts,
          fmt::format("-m comment --comment {} {} -j {}", name_, match, external_chain_));
    }
    if (!has_external_) {
      filter(kExternalServices, refusal("-m addrtype --dst-type LOCAL " + match));
    }
  }

  void write_external_chain() {
    Chain& chain = rules_.chains.emplace_back(Chain{.name = external_chain_, .lines = {}});
    if (port_.external_local) {
      // Pods and this node itself are not external: they reach endpoints of all nodes, as if they
      // had gone out to a load balancer and come back.
      if (const auto range = pod_range(node_, port_.family)) {
        add(chain,
            fmt::format("-m comment --comment \"pod traffic for {} external destinations\" -s {} "
                        "-j {}",
                        name_, *range, cluster_chain_));
      }
      add(chain, fmt::format("-m comment --comment \"masquerade LOCAL traffic for {} external "
                             "destinations\" -m addrtype --src-type LOCAL -j {}",
                             name_, kMarkMasquerade));
      add(chain, fmt::format("-m comment --comment \"route LOCAL traffic for {} external "
                             "destinations\" -m addrtype --src-type LOCAL -j {}",
                             name_, cluster_chain_));
    } else {
      add(chain, fmt::format("-m comment --comment \"masquerade traffic for {} external "
                             "destinations\" -j {}",
                             name_, kMarkMasquerade));
    }
    if (has_external_) {
      add(chain, fmt::format("-j {}", port_.external_local ? local_chain_ : cluster_chain_));
    }
  }

  void write_ranges_chain() {
    Chain& chain = rules_.chains.emplace_back(Chain{.name = ranges_chain_, .lines = {}});
    const auto allow = [&](const std::string& source) {
      add(chain, fmt::format("-m comment --comment \"{} loadbalancer IP\" -s {} -j {}", name_,
                             source, external_chain_));
    };
    const std::optional<IpAddress> own = node_address(node_, port_.family);
    bool allows_node = false;
    for (const IpPrefix& range : port_.source_ranges) {
      allow(range.str());
      if (own && range.contains(*own)) allows_node = true;
    }
    // A load balancer's address may be local here; then this node's requests come from it.
    if (allows_node) {
      for (const IpAddress& address : port_.load_balancer_ips) allow(address.str());
    }
    add(chain, fmt::format("-m comment --comment \"other traffic to {} will be dropped by "
                           "KUBE-PROXY-FIREWALL\"",
                           name_));
  }

  // `internal`: traffic to the cluster IP comes here.
  void write_policy_chain(const std::string& name, const std::vector<Endpoint>& endpoints,
                          bool internal) {
    if (endpoints.empty()) return;
    Chain& chain = rules_.chains.emplace_back(Chain{.name = name, .lines = {}});
    if (internal) mark_foreign_traffic(chain);
    if (port_.affinity_seconds != 0) {
      for (const Endpoint& endpoint : endpoints) {
        const std::string own = chain_of(endpoint, port_.name);
        add(chain, fmt::format("{}-m recent --name {} --rcheck --seconds {} --reap -j {}",
                               endpoint_comment(endpoint), own, port_.affinity_seconds, own));
      }
    }
    for (size_t i = 0; i < endpoints.size(); ++i) {
      const size_t left = endpoints.size() - i;
      const std::string chance =
          left == 1 ? ""
                    : fmt::format("-m statistic --mode random --probability {:.10f} ",
                                  1.0 / static_cast<double>(left));
      add(chain, fmt::format("{}{}-j {}", endpoint_comment(endpoints[i]), chance,
                             chain_of(endpoints[i], port_.name)));
    }
  }

  // Traffic from outside of the cluster may leave this node again: the answers have to come back.
  void mark_foreign_traffic(Chain& chain) {
    const std::string match =
        fmt::format("-m comment --comment \"{} cluster IP\" {}", name_, to(port_.cluster_ip));
    if (node_.masquerade_all) {
      add(chain, fmt::format("{} -j {}", match, kMarkMasquerade));
    } else if (const auto range = pod_range(node_, port_.family)) {
      add(chain, fmt::format("{} ! -s {} -j {}", match, *range, kMarkMasquerade));
    }
  }

  std::string endpoint_comment(const Endpoint& endpoint) const {
    return comment(fmt::format("\"{} -> {}\"", name_, endpoint.str()));
  }

  void write_endpoint_chain(const Endpoint& endpoint) {
    Chain& chain =
        rules_.chains.emplace_back(Chain{.name = chain_of(endpoint, port_.name), .lines = {}});
    // An endpoint that reaches itself would answer itself, past this node.
    add(chain,
        fmt::format("{}-s {} -j {}", comment(name_), endpoint.address.str(), kMarkMasquerade));
    const std::string remember =
        port_.affinity_seconds == 0 ? "" : fmt::format("-m recent --name {} --set ", chain.name);
    add(chain, fmt::format("{0}{1}-m {2} -p {2} -j DNAT --to-destination {3}", comment(name_),
                           remember, protocol_, endpoint.str()));
  }

  const ServicePort& port_;
  const NodeFacts& node_;
  const RuleOptions& options_;
  const std::string name_;
  const std::string_view protocol_;
  const std::string cluster_chain_;
  const std::string local_chain_;
  const std::string external_chain_;
  const std::string ranges_chain_;
  const bool has_internal_;
  const bool has_external_;
  const bool uses_ranges_;
  PortRules rules_;
};

void add_node_port_jumps(Family family, const NodeFacts& node, SharedRules& rules) {
  constexpr std::string_view kComment =
      "-m comment --comment \"kubernetes service nodeports; NOTE: this must be the last rule in "
      "this chain\"";
  const bool localhost = family == Family::kV4 && serves_localhost(node);
  if (node.all_node_port_addresses) {
    std::string_view except;
    if (family == Family::kV6) except = " ! -d ::1/128";
    if (family == Family::kV4 && !localhost) except = " ! -d 127.0.0.0/8";
    rules.last_nat.push_back(fmt::format("{} {} -m addrtype --dst-type LOCAL{} -j {}", kServices,
                                         kComment, except, kNodePorts));
    return;
  }
  for (const IpAddress& address : node.node_port_addresses) {
    if (family_of(address) != family || (is_loopback(address) && !localhost)) continue;
    rules.last_nat.push_back(
        fmt::format("{} {} -d {} -j {}", kServices, kComment, address.str(), kNodePorts));
  }
}

}  // namespace port_rules_text

bool serves_localhost(const NodeFacts& node) {
  if (!node.localhost_node_ports) return false;
  if (node.all_node_port_addresses) return true;
  return std::any_of(
      node.node_port_addresses.begin(), node.node_port_addresses.end(),
      [](const IpAddress& address) { return address.is_v4() && address.bytes[12] == 127; });
}

PortRules port_rules(const ServicePort& port, const NodeFacts& node, const RuleOptions& options) {
  return port_rules_text::Writer(port, node, options).write();
}

SharedRules shared_rules(Family family, const NodeFacts& node, const RuleOptions& options) {
  const std::string mark = port_rules_text::mark_text();
  SharedRules rules;
  if (family == Family::kV4 && serves_localhost(node)) {
    // With route_localnet, neighbours could reach what listens at 127.0.0.1 only.
    rules.filter.push_back(
        fmt::format("{} -m comment --comment \"block incoming localnet connections\" -d "
                    "127.0.0.0/8 ! -s 127.0.0.0/8 -m conntrack ! --ctstate "
                    "RELATED,ESTABLISHED,DNAT -j DROP",
                    kFirewall));
  }
  if (options.drop_invalid) {
    rules.filter.push_back(fmt::format("{} -m conntrack --ctstate INVALID -j DROP", kForward));
  }
  // Also where the policy of the chain FORWARD is to drop.
  rules.filter.push_back(fmt::format(
      "{} -m comment --comment \"kubernetes forwarding rules\" -m mark --mark {}/{} -j ACCEPT",
      kForward, mark, mark));
  rules.filter.push_back(
      fmt::format("{} -m comment --comment \"kubernetes forwarding conntrack rule\" -m conntrack "
                  "--ctstate RELATED,ESTABLISHED -j ACCEPT",
                  kForward));
  rules.nat.push_back(fmt::format("{} -m mark ! --mark {}/{} -j RETURN", kPostrouting, mark, mark));
  // Cleared, so that a packet that passes again is not masqueraded again.
  rules.nat.push_back(fmt::format("{} -j MARK --xor-mark {}", kPostrouting, mark));
  rules.nat.push_back(
      fmt::format("{} -m comment --comment \"kubernetes service traffic requiring SNAT\" -j "
                  "MASQUERADE --random-fully",
                  kPostrouting));
  rules.nat.push_back(fmt::format("{} -j MARK --or-mark {}", kMarkMasquerade, mark));
  port_rules_text::add_node_port_jumps(family, node, rules);
  return rules;
}

}  // namespace proa::proxy::iptables
