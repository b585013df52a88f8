#include "cli/node/network/network_flags.h"

#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::cli {
namespace network_flags_unit {

constexpr int64_t kMostVxlanId = (1 << 24) - 1;
// Fewer than four addresses have no room for a pod, its gateway and the network's own.
constexpr unsigned kMostBits = 30;
constexpr unsigned kMostBitsV6 = 126;

Result<void> check_pod_ranges(const std::vector<IpPrefix>& ranges) {
  for (const IpPrefix& range : ranges) {
    if (range.bits > (range.v6 ? kMostBitsV6 : kMostBits)) {
      return Status(Reason::kInvalid, "--pod-cidr " + range.str() + " has no room for pods");
    }
  }
  if (ranges.size() > 2 || (ranges.size() == 2 && ranges[0].v6 == ranges[1].v6)) {
    return Status(Reason::kInvalid, "--pod-cidr takes one CIDR, or one of each IP family");
  }
  return {};
}

}  // namespace network_flags_unit

std::vector<Flag> network_flags() {
  const network::NetworkOptions fallback;
  return {
      {.name = "pod-cidr",
       .word = "CIDR,...",
       .summary = "CIDR of this node's pods, one, or one per IP family; default: the part of the "
                  "server's --cluster-cidr that this node is given"},
      {.name = "pod-network",
       .kind = ValueKind::kChoice,
       .word = "MODE",
       .fallback = std::string(network::mode_name(fallback.mode)),
       .summary = "how pods of different nodes reach each other: by routes, by VXLAN, auto (routes "
                  "on the same link, VXLAN otherwise), none (you install a network; its "
                  "configuration is in /etc/cni/net.d)",
       .choices = {"auto", "routes", "vxlan", "none"}},
      {.name = "pod-network-encryption",
       .kind = ValueKind::kSwitch,
       .summary = "encrypt packets between nodes by WireGuard, which the kernel must have; on all "
                  "nodes of a cluster, with --pod-network auto"},
      {.name = "non-masquerade-cidrs",
       .word = "CIDR,...",
       .summary = "destinations outside of the cluster that see the addresses of pods instead of "
                  "their node's"},
      {.name = "network-policy",
       .kind = ValueKind::kChoice,
       .fallback = "nftables",
       .summary = "rules that enforce NetworkPolicies; none: you install an engine, or need none",
       .choices = {"nftables", "none"}},
      {.name = "pod-guard",
       .kind = ValueKind::kChoice,
       .fallback = "on",
       .summary = "whether a pod may send only with its own MAC and IP addresses, and no VLAN "
                  "tags; off: pods may route packets of others, and may claim their addresses",
       .choices = {"on", "off"}},
      {.name = "vxlan-id",
       .kind = ValueKind::kNumber,
       .word = "NUMBER",
       .fallback = std::to_string(fallback.vxlan_id),
       .summary = "VXLAN network identifier; the same on all nodes of a cluster",
       .least = 1,
       .most = network_flags_unit::kMostVxlanId},
      {.name = "vxlan-port",
       .kind = ValueKind::kPort,
       .word = "PORT",
       .fallback = std::to_string(fallback.vxlan_port),
       .summary = "UDP port of VXLAN; the same on all nodes of a cluster"}};
}

Result<std::vector<IpPrefix>> parse_ranges(std::string_view flag, std::string_view text) {
  std::vector<IpPrefix> ranges;
  for (const std::string_view part : split(text, ',')) {
    const std::string_view one = trim(part);
    if (one.empty()) continue;
    const auto range = parse_prefix(one);
    if (!range || !api::check_cidr(one).empty()) {
      return Status(Reason::kInvalid, "--" + std::string(flag) +
                                          " must be a CIDR such as 10.244.0.0/24, not " +
                                          std::string(one));
    }
    ranges.push_back(*range);
  }
  return ranges;
}

Result<NetworkSettings> read_network_settings(const Settings& settings) {
  NetworkSettings wanted;
  wanted.pod_cidrs = TRY(parse_ranges("pod-cidr", settings.text("pod-cidr")));
  TRY(network_flags_unit::check_pod_ranges(wanted.pod_cidrs));
  wanted.options.mode =
      network::parse_mode(settings.text("pod-network")).value_or(network::Mode::kAuto);
  wanted.encryption = settings.on("pod-network-encryption");
  if (wanted.encryption && wanted.options.mode != network::Mode::kAuto) {
    return Status(
        Reason::kInvalid,
        "--pod-network-encryption is for --pod-network auto; with another mode, encryption "
        "is the network's own matter");
  }
  wanted.policies = settings.text("network-policy") != "none";
  wanted.guard = settings.text("pod-guard") != "off";
  wanted.options.no_masquerade =
      TRY(parse_ranges("non-masquerade-cidrs", settings.text("non-masquerade-cidrs")));
  wanted.options.vxlan_id = static_cast<uint32_t>(settings.number("vxlan-id"));
  wanted.options.vxlan_port = static_cast<uint16_t>(settings.number("vxlan-port"));
  return wanted;
}

}  // namespace proa::cli
