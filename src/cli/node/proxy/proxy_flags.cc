#include "cli/node/proxy/proxy_flags.h"

namespace proa::cli {

Flag nodeport_addresses_flag() {
  return {.name = "nodeport-addresses",
          .word = "CIDR,...",
          .summary =
              "ranges of this machine's addresses that serve node ports, or primary: only "
              "the node's own; default: primary with nftables, all with iptables"};
}

std::vector<Flag> node_proxy_flags() {
  return {{.name = "proxy-mode",
           .kind = ValueKind::kChoice,
           .fallback = "nftables",
           .summary = "rules that carry Services",
           .choices = {"nftables", "iptables", "none"}},
          nodeport_addresses_flag()};
}

Result<void> read_proxy_mode(const Settings& settings, proxy::ProxyOptions& options) {
  const Result<proxy::Mode> mode = proxy::parse_mode(settings.text("proxy-mode"));
  if (!mode) return mode.status().in("--proxy-mode");
  options.mode = *mode;
  const Result<void> read =
      proxy::parse_node_port_addresses(settings.text("nodeport-addresses"), options);
  if (!read) return read.status().in("--nodeport-addresses");
  return {};
}

Result<std::optional<proxy::ProxyOptions>> read_node_proxy(const Settings& settings) {
  if (settings.text("proxy-mode") == "none") return std::optional<proxy::ProxyOptions>();
  proxy::ProxyOptions options;
  TRY(read_proxy_mode(settings, options));
  return std::optional(std::move(options));
}

}  // namespace proa::cli
