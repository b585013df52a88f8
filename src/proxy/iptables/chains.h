#pragma once

#include <span>
#include <string>
#include <string_view>

#include "proxy/model/service_port.h"

// Names of chains, as upstream's kube-proxy gives them: other programs look for some of them, and
// users know them.

namespace proa::proxy::iptables {

inline constexpr std::string_view kServices = "KUBE-SERVICES";
inline constexpr std::string_view kExternalServices = "KUBE-EXTERNAL-SERVICES";
inline constexpr std::string_view kNodePorts = "KUBE-NODEPORTS";
inline constexpr std::string_view kPostrouting = "KUBE-POSTROUTING";
inline constexpr std::string_view kMarkMasquerade = "KUBE-MARK-MASQ";
inline constexpr std::string_view kForward = "KUBE-FORWARD";
inline constexpr std::string_view kProxyFirewall = "KUBE-PROXY-FIREWALL";
// Kubelets of other makers have the same chain, with the same rule.
inline constexpr std::string_view kFirewall = "KUBE-FIREWALL";
// Has no rules: it is gone when somebody flushed a table.
inline constexpr std::string_view kCanary = "KUBE-PROXY-CANARY";
// That kubelets of other makers keep their chains.
inline constexpr std::string_view kKubeletCanary = "KUBE-KUBELET-CANARY";

// Chains of one port: endpoints of policy Cluster, those of policy Local, traffic from outside,
// source ranges.
enum class PortChain : uint8_t { kCluster, kLocal, kExternal, kSourceRanges };
std::string chain_of(PortChain kind, const ServicePortName& name);
// The chain of one endpoint of a port.
std::string chain_of(const Endpoint& endpoint, const ServicePortName& name);
// Whether a chain is of a port or an endpoint, also of one that is gone.
bool is_port_chain(std::string_view chain);

// A jump from a chain of the kernel to one of ours.
struct Jump {
  std::string_view table;
  std::string_view from;
  // As iptables-save prints it, so that an existing one is found.
  std::string_view rule;
};
// With the chain that it is in: "INPUT -j KUBE-FIREWALL".
std::string line_of(const Jump& jump);
// In the order in which they are inserted at the front.
std::span<const Jump> jumps();

// Our chains that are in a table in any case.
std::span<const std::string_view> shared_chains(std::string_view table);

}  // namespace proa::proxy::iptables
