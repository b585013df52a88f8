#include "proxy/iptables/chains.h"

#include <fmt/format.h>

#include <algorithm>

#include "crypto/digest.h"

namespace proa::proxy::iptables {
namespace chains {

constexpr std::string_view kPrefixes[] = {"KUBE-SVC-", "KUBE-SVL-", "KUBE-EXT-", "KUBE-FW-"};
constexpr std::string_view kEndpointPrefix = "KUBE-SEP-";

// The first 16 digits of a hash in base 32 (RFC 4648): names of chains have at most 28 characters.
std::string short_hash(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  constexpr size_t kLength = 16;
  const crypto::Sha256Digest digest = crypto::sha256(text);
  std::string hash;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const unsigned char byte : digest.bytes) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 5 && hash.size() < kLength; count -= 5) {
      hash += kDigits[bits >> (count - 5) & 31];
    }
    if (hash.size() == kLength) break;
  }
  return hash;
}

constexpr Jump kJumps[] = {
    {"filter", "INPUT",
     "-m conntrack --ctstate NEW -m comment --comment \"kubernetes externally-visible service "
     "portals\" -j KUBE-EXTERNAL-SERVICES"},
    {"filter", "FORWARD",
     "-m conntrack --ctstate NEW -m comment --comment \"kubernetes externally-visible service "
     "portals\" -j KUBE-EXTERNAL-SERVICES"},
    {"filter", "INPUT",
     "-m comment --comment \"kubernetes health check service ports\" -j KUBE-NODEPORTS"},
    {"filter", "FORWARD",
     "-m conntrack --ctstate NEW -m comment --comment \"kubernetes service portals\" "
     "-j KUBE-SERVICES"},
    {"filter", "OUTPUT",
     "-m conntrack --ctstate NEW -m comment --comment \"kubernetes service portals\" "
     "-j KUBE-SERVICES"},
    {"filter", "FORWARD", "-m comment --comment \"kubernetes forwarding rules\" -j KUBE-FORWARD"},
    {"filter", "INPUT",
     "-m conntrack --ctstate NEW -m comment --comment \"kubernetes load balancer firewall\" "
     "-j KUBE-PROXY-FIREWALL"},
    {"filter", "OUTPUT",
     "-m conntrack --ctstate NEW -m comment --comment \"kubernetes load balancer firewall\" "
     "-j KUBE-PROXY-FIREWALL"},
    {"filter", "FORWARD",
     "-m conntrack --ctstate NEW -m comment --comment \"kubernetes load balancer firewall\" "
     "-j KUBE-PROXY-FIREWALL"},
    {"filter", "INPUT", "-j KUBE-FIREWALL"},
    {"filter", "OUTPUT", "-j KUBE-FIREWALL"},
    {"nat", "OUTPUT", "-m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES"},
    {"nat", "PREROUTING", "-m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES"},
    {"nat", "POSTROUTING",
     "-m comment --comment \"kubernetes postrouting rules\" -j KUBE-POSTROUTING"},
};

constexpr std::string_view kFilterChains[] = {
    kServices, kExternalServices, kForward, kNodePorts, kProxyFirewall, kFirewall, kCanary};
constexpr std::string_view kNatChains[] = {kServices, kNodePorts, kPostrouting, kMarkMasquerade,
                                           kCanary};
constexpr std::string_view kMangleChains[] = {kCanary};

}  // namespace chains

std::string chain_of(PortChain kind, const ServicePortName& name) {
  return fmt::format("{}{}", chains::kPrefixes[static_cast<size_t>(kind)],
                     chains::short_hash(name.str().append(lower_name_of(name.protocol))));
}

std::string chain_of(const Endpoint& endpoint, const ServicePortName& name) {
  return fmt::format(
      "{}{}", chains::kEndpointPrefix,
      chains::short_hash(name.str().append(lower_name_of(name.protocol)).append(endpoint.str())));
}

bool is_port_chain(std::string_view chain) {
  return chain.starts_with(chains::kEndpointPrefix) ||
         std::any_of(std::begin(chains::kPrefixes), std::end(chains::kPrefixes),
                     [chain](std::string_view prefix) { return chain.starts_with(prefix); });
}

std::string line_of(const Jump& jump) { return fmt::format("{} {}", jump.from, jump.rule); }

std::span<const Jump> jumps() { return chains::kJumps; }

std::span<const std::string_view> shared_chains(std::string_view table) {
  if (table == "filter") return chains::kFilterChains;
  if (table == "nat") return chains::kNatChains;
  return chains::kMangleChains;
}

}  // namespace proa::proxy::iptables
