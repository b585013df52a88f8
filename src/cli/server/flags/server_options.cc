#include "cli/server/flags/server_options.h"

#include <algorithm>

#include "api/validation/names.h"
#include "apiserver/resources/allocate/address_range.h"
#include "apiserver/resources/allocate/network.h"
#include "apiserver/server.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "cli/host/candidate.h"
#include "cli/host/own_address.h"

namespace proa::cli {
namespace server_options {

// The store takes no more, nor do bodies of requests become so large.
constexpr int64_t kMostObjectBytes = 8 << 20;

Status wrong(std::string message) { return {Reason::kInvalid, std::move(message)}; }

bool is_loopback(const std::string& address) {
  const auto parsed = parse_ip(address);
  if (!parsed) return false;
  constexpr uint8_t kLoopbackNetwork = 127;
  constexpr size_t kFirstOfV4 = 12;
  if (parsed->is_v4()) return parsed->bytes[kFirstOfV4] == kLoopbackNetwork;
  return parsed == parse_ip("::1");
}

// "127.0.0.1:6443", "[::1]:6443", ":6443".
Result<void> read_listen(const std::string& text, ServerOptions& options) {
  const size_t colon = text.rfind(':');
  const std::optional<int64_t> port =
      colon == std::string::npos ? std::nullopt : parse_int(text.substr(colon + 1));
  options.address = text.substr(0, colon);
  if (options.address.starts_with('[') && options.address.ends_with(']')) {
    options.address = options.address.substr(1, options.address.size() - 2);
  }
  const bool is_address = options.address.empty() || parse_ip(options.address).has_value();
  if (!port || *port < 0 || *port > 65535 || !is_address) {
    return wrong("--listen must be ADDRESS:PORT such as 127.0.0.1:6443, not " + text);
  }
  options.port = static_cast<int>(*port);
  return {};
}

Result<void> read_advertised(const Settings& settings, ServerRole role, ServerOptions& options) {
  const std::string& given = settings.text("advertise-address");
  if (!given.empty()) {
    if (!parse_ip(given) || is_unspecified_address(given)) {
      return wrong("--advertise-address must be an IP address such as 10.0.0.5, not " + given);
    }
    options.advertised = given;
    return {};
  }
  // A pod has a loopback link of its own.
  if (role == ServerRole::kCluster && is_loopback(options.address)) {
    return wrong("--listen " + settings.text("listen") +
                 " is a loopback address, at which pods cannot reach the API; listen on 0.0.0.0 or "
                 "on an address of this machine, or say with --advertise-address where pods reach "
                 "it");
  }
  options.advertised = is_unspecified_address(options.address) ? own_address() : options.address;
  return {};
}

Result<void> read_names(const Settings& settings, ServerOptions& options) {
  for (const std::string_view part : split(settings.text("tls-san"), ',')) {
    const std::string name(trim(part));
    if (name.empty()) continue;
    const bool is_name = parse_ip(name) || api::check_dns1123_subdomain(name).empty() ||
                         api::check_wildcard_dns1123_subdomain(name).empty();
    if (!is_name) {
      return wrong("--tls-san must be DNS names and IP addresses, not " + name);
    }
    options.more_names.push_back(name);
  }
  return {};
}

Result<void> read_services(const Settings& settings, ServerRole role, ServerOptions& options) {
  options.service_cidr = settings.text("service-cluster-ip-range");
  options.node_port_range = settings.text("service-node-port-range");
  const auto ports = apiserver::PortRange::parse(options.node_port_range);
  if (!ports) return ports.status().in("--service-node-port-range");
  const auto network =
      apiserver::ServiceNetwork::parse(options.service_cidr, options.node_port_range);
  if (!network) return network.status().in("--service-cluster-ip-range");
  for (const IpPrefix& cidr : network->cidrs) {
    options.service_addresses.push_back(apiserver::AddressRange(cidr).at(0).str());
    if (role != ServerRole::kCluster) continue;
    for (const std::string_view text : split(settings.text("pod-cidr"), ',')) {
      const auto pods = parse_prefix(trim(text));
      if (!pods || !overlap(*pods, cidr)) continue;
      return wrong("--pod-cidr " + pods->str() + " overlaps with --service-cluster-ip-range " +
                   cidr.str());
    }
  }
  return {};
}

}  // namespace server_options

bool is_unspecified_address(const std::string& address) {
  return address.empty() || address == "0.0.0.0" || address == "::";
}

std::vector<Flag> server_option_flags() {
  const apiserver::ApiServerOptions fallback;
  return {{.name = "listen",
           .word = "ADDRESS:PORT",
           .fallback = "127.0.0.1:6443",
           .summary = "address and port of the API server: 0.0.0.0:6443 for all addresses of this "
                      "machine, [::1]:6443; port 0 picks a free one"},
          {.name = "advertise-address",
           .word = "ADDRESS",
           .summary = "address at which pods and other machines reach this server; default: the "
                      "--listen address, or the host's if that is unspecified"},
          {.name = "tls-san",
           .word = "NAME,...",
           .summary = "further DNS names and IP addresses of the server's certificate"},
          {.name = "service-cluster-ip-range",
           .word = "CIDR,...",
           .fallback = fallback.service_cidr,
           .summary = "CIDR of Services; one, or one per IP family"},
          {.name = "service-node-port-range",
           .word = "PORT-PORT",
           .fallback = fallback.node_port_range,
           .summary = "range of node ports of Services"},
          {.name = "drain-timeout",
           .kind = ValueKind::kDuration,
           .word = "TIME",
           .fallback = "10s",
           .summary = "time that requests may take to finish on shutdown"},
          {.name = "max-requests-inflight",
           .kind = ValueKind::kNumber,
           .word = "COUNT",
           .fallback = std::to_string(fallback.in_flight.read_only),
           .summary = "reading requests that are worked on at once; 0 for no limit. With priority "
                      "and fairness: part of the seats that its levels share"},
          {.name = "max-mutating-requests-inflight",
           .kind = ValueKind::kNumber,
           .word = "COUNT",
           .fallback = std::to_string(fallback.in_flight.mutating),
           .summary = "writing requests that are worked on at once; 0 for no limit. With priority "
                      "and fairness: part of the seats that its levels share"},
          {.name = "enable-priority-and-fairness",
           .kind = ValueKind::kSwitch,
           .fallback = fallback.fairness ? "true" : "false",
           .summary = "limit and queue requests by FlowSchemas and PriorityLevelConfigurations, "
                      "not by their number alone"},
          {.name = "max-object-bytes",
           .kind = ValueKind::kNumber,
           .word = "BYTES",
           .fallback = std::to_string(fallback.max_object_bytes),
           .summary = "largest object that is stored (etcd's limit of a request)",
           .least = 1,
           .most = server_options::kMostObjectBytes},
          {.name = "new-authority",
           .kind = ValueKind::kSwitch,
           .fallback = "false",
           .summary = "create a new cluster CA if that of an existing store is lost; all nodes and "
                      "clients must join again"}};
}

Result<ServerOptions> read_server_options(const Settings& settings, ServerRole role) {
  ServerOptions options;
  options.data_dir = settings.text("data-dir");
  options.drain_timeout = settings.duration("drain-timeout");
  options.in_flight.read_only = static_cast<size_t>(settings.number("max-requests-inflight"));
  options.in_flight.mutating =
      static_cast<size_t>(settings.number("max-mutating-requests-inflight"));
  options.fairness = settings.on("enable-priority-and-fairness");
  if (options.fairness && options.in_flight.read_only + options.in_flight.mutating == 0) {
    return server_options::wrong(
        "--enable-priority-and-fairness needs seats: --max-requests-inflight and "
        "--max-mutating-requests-inflight must not both be 0");
  }
  options.max_object_bytes = static_cast<size_t>(settings.number("max-object-bytes"));
  options.new_authority = settings.on("new-authority");
  TRY(server_options::read_listen(settings.text("listen"), options));
  TRY(server_options::read_advertised(settings, role, options));
  TRY(server_options::read_names(settings, options));
  TRY(server_options::read_services(settings, role, options));
  return options;
}

std::string service_range_warning(const ServerOptions& options, std::span<const Route> routes,
                                  std::string_view cluster_cidr) {
  std::string text;
  for (const std::string_view part : split(options.service_cidr, ',')) {
    const auto services = parse_prefix(part);
    if (!services) continue;
    for (const std::string_view other : split(cluster_cidr, ',')) {
      const auto pods = parse_prefix(trim(other));
      if (!pods || !overlap(*services, *pods)) continue;
      text += "warning: --service-cluster-ip-range " + services->str() +
              " overlaps with --cluster-cidr " + pods->str() + "\n";
    }
    for (const Route& route : routes) {
      // Proa's own links, from the last start.
      if (!overlap(*services, route.network) || route.link.starts_with("proa")) continue;
      text += "warning: --service-cluster-ip-range " + services->str() + " overlaps with " +
              route.network.str() + ", which this machine reaches through " + route.link +
              "; addresses of Services hide those of that network\n";
    }
  }
  return text;
}

std::vector<std::string> certificate_names(const ServerOptions& options) {
  std::vector<std::string> names{"localhost",
                                 "kubernetes",
                                 "kubernetes.default",
                                 "kubernetes.default.svc",
                                 "kubernetes.default.svc.cluster.local",
                                 "127.0.0.1",
                                 "::1"};
  const auto add = [&](const std::string& name) {
    if (is_unspecified_address(name)) return;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const std::string& address : options.service_addresses) add(address);
  add(options.address);
  add(options.advertised);
  if (const std::string host = host_name(); !host.empty()) add(host);
  for (const std::string& name : options.more_names) add(name);
  return names;
}

}  // namespace proa::cli
