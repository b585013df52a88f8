#include "cli/node/node_flags.h"

#include <algorithm>

#include "api/quantity.h"
#include "api/validation/names.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "cli/host/candidate.h"
#include "cli/host/own_address.h"
#include "cli/node/dns/dns_flags.h"
#include "cli/node/proxy/proxy_flags.h"
#include "kubelet/node/agent/node_object.h"

namespace proa::cli {
namespace node_choice {

constexpr std::string_view kSocketPrefix = "unix://";
// Far above what one machine can run; a larger number is a mistake.
constexpr int64_t kMostPods = 100'000;

std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> list;
  for (const std::string_view part : split(text, ',')) {
    if (!trim(part).empty()) list.emplace_back(trim(part));
  }
  return list;
}

Result<std::vector<std::string>> addresses_of(const Settings& settings) {
  std::vector<std::string> addresses = list_of(settings.text("node-ip"));
  for (const std::string& address : addresses) {
    const auto parsed = parse_ip(address);
    if (parsed && address != "0.0.0.0" && parsed != IpAddress{}) continue;
    return Status(Reason::kInvalid,
                  "--node-ip must be IP addresses such as 10.0.0.5, not " + address);
  }
  if (addresses.empty()) addresses.push_back(own_address());
  return addresses;
}

Result<std::map<std::string, std::string>> labels_of(const Settings& settings) {
  auto labels = TRY(parse_pairs("node-labels", settings.text("node-labels")));
  for (const auto& [key, value] : labels) {
    api::Problems problems = api::check_qualified_name(key);
    if (problems.empty()) problems = api::check_label_value(value);
    if (problems.empty()) continue;
    return Status(Reason::kInvalid, "--node-labels: " + key + "=" + value + ": " + problems[0]);
  }
  return labels;
}

Result<std::vector<std::string>> taints_of(const Settings& settings) {
  std::vector<std::string> taints = list_of(settings.text("register-with-taints"));
  for (const std::string& text : taints) {
    const auto taint = kubelet::parse_taint(text);
    if (taint.ok() && api::check_qualified_name(taint->key).empty() &&
        api::check_label_value(taint->value).empty()) {
      continue;
    }
    return Status(Reason::kInvalid,
                  "--register-with-taints must be KEY=VALUE:EFFECT,... with the effect NoSchedule, "
                  "PreferNoSchedule or NoExecute, not " +
                      text);
  }
  return taints;
}

// Resources that can be reserved, as upstream's kubelet accepts them.
constexpr std::string_view kReservable[] = {"cpu", "memory", "ephemeral-storage", "pid"};

Result<std::map<std::string, std::string>> amounts_of(const Settings& settings,
                                                      std::string_view flag) {
  auto amounts = TRY(parse_pairs(flag, settings.text(flag)));
  for (const auto& [name, text] : amounts) {
    if (std::ranges::find(kReservable, name) == std::end(kReservable)) {
      return Status(Reason::kInvalid, "--" + std::string(flag) +
                                          " can reserve cpu, memory, ephemeral-storage and pid, "
                                          "not " +
                                          name);
    }
    const auto amount = api::Quantity::parse(text);
    if (amount.ok() && amount->sign() >= 0) continue;
    return Status(Reason::kInvalid, "--" + std::string(flag) + ": " + name +
                                        " must be an amount such as 200m or 500Mi, not " + text);
  }
  return amounts;
}

Result<void> read_runtime(const Settings& settings, NodeSettings& wanted) {
  const std::string& endpoint = settings.text("container-runtime-endpoint");
  wanted.own_runtime = endpoint.empty();
  wanted.default_runtime = settings.text("default-runtime");
  if (wanted.default_runtime != "" && wanted.default_runtime != "runc" &&
      wanted.default_runtime != "crun") {
    return Status(Reason::kInvalid,
                  "--default-runtime must be runc or crun, not " + wanted.default_runtime);
  }
  if (wanted.own_runtime) {
    wanted.kubelet.runtime_socket = wanted.place.socket;
    return {};
  }
  const std::string path =
      endpoint.starts_with(kSocketPrefix) ? endpoint.substr(kSocketPrefix.size()) : endpoint;
  if (!path.starts_with('/')) {
    return Status(Reason::kInvalid,
                  "--container-runtime-endpoint must be a unix socket such as "
                  "unix:///run/containerd/containerd.sock, not " +
                      endpoint);
  }
  wanted.kubelet.runtime_socket = path;
  return {};
}

Result<void> read_network(const Settings& settings, NodeSettings& wanted) {
  wanted.network = TRY(read_network_settings(settings));
  wanted.network.options.bridge = wanted.place.bridge;
  wanted.network.options.tunnel = wanted.place.tunnel;
  wanted.network.options.asked_ranges = wanted.network.pod_cidrs;
  for (const IpPrefix& range : wanted.network.pod_cidrs) {
    wanted.kubelet.pod_cidrs.push_back(range.str());
  }
  wanted.kubelet.cluster_domain = settings.text("cluster-domain");
  if (!api::check_dns1123_subdomain(wanted.kubelet.cluster_domain).empty()) {
    return Status(Reason::kInvalid,
                  "--cluster-domain must be a domain such as cluster.local, not " +
                      wanted.kubelet.cluster_domain);
  }
  const std::string& servers = settings.text("cluster-dns");
  wanted.kubelet.cluster_dns = list_of(servers);
  const bool gaps =
      !servers.empty() && split(servers, ',').size() != wanted.kubelet.cluster_dns.size();
  const auto wrong = std::ranges::find_if(wanted.kubelet.cluster_dns,
                                          [](const std::string& one) { return !parse_ip(one); });
  if (gaps || wrong != wanted.kubelet.cluster_dns.end()) {
    return Status(Reason::kInvalid, "--cluster-dns must be IP addresses such as 10.96.0.10, not " +
                                        (gaps ? "\"" + servers + "\"" : *wrong));
  }
  wanted.kubelet.resolv_conf = settings.text("resolv-conf");
  wanted.dns = wants_dns(settings);
  return {};
}

std::vector<Flag> own_flags() {
  const kubelet::KubeletOptions fallback;
  return {
      {.name = "node-name",
       .word = "NAME",
       .summary = "name of this node; default: the host name in lower case"},
      {.name = "node-ip",
       .word = "ADDRESS,...",
       .summary = "IP addresses of this node; default: that of the default route"},
      {.name = "node-labels",
       .word = "KEY=VALUE,...",
       .summary = "labels with which the node registers"},
      {.name = "register-with-taints",
       .word = "KEY=VALUE:EFFECT,...",
       .summary = "taints with which the node registers"},
      {.name = "max-pods",
       .kind = ValueKind::kNumber,
       .word = "COUNT",
       .fallback = std::to_string(fallback.max_pods),
       .summary = "maximum number of pods on this node",
       .most = kMostPods},
      {.name = "system-reserved",
       .word = "RESOURCE=AMOUNT,...",
       .summary = "resources reserved for the system: cpu=200m,memory=500Mi"},
      {.name = "kube-reserved",
       .word = "RESOURCE=AMOUNT,...",
       .summary = "resources reserved for Proa itself"},
      {.name = "pod-manifest-path",
       .kind = ValueKind::kFolder,
       .word = "DIR",
       .summary = "directory of static pod manifests"},
      {.name = "pod-logs-dir",
       .kind = ValueKind::kFolder,
       .word = "DIR",
       .fallback = fallback.logs,
       .summary = "directory of pod logs; links to them are in the directory `containers` beside "
                  "it. Change it if another kubelet runs on this machine"},
      {.name = "container-runtime-endpoint",
       .word = "SOCKET",
       .summary = "socket of an external container runtime; default: start containerd"},
      {.name = "default-runtime",
       .word = "NAME",
       .summary = "runtime of pods without a RuntimeClass, in Proa's own containerd: runc or crun"},
      {.name = "cluster-dns",
       .word = "ADDRESS,...",
       .summary = "DNS server addresses for pods; default: those of the cluster's DNS"},
      {.name = "cluster-domain",
       .word = "DOMAIN",
       .fallback = fallback.cluster_domain,
       .summary = "DNS domain of Services"},
      {.name = "resolv-conf",
       .kind = ValueKind::kFile,
       .word = "FILE",
       .fallback = fallback.resolv_conf,
       .summary = "resolver configuration of the host, for pods that use it"},
      {.name = "kubelet-port",
       .kind = ValueKind::kPort,
       .word = "PORT",
       .fallback = std::to_string(fallback.port),
       .summary = "port of the kubelet server (logs, exec, port-forward)"}};
}

}  // namespace node_choice

std::vector<Flag> node_flags() {
  std::vector<Flag> flags = node_choice::own_flags();
  for (Flag& flag : network_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : node_proxy_flags()) flags.push_back(std::move(flag));
  flags.push_back(dns_flag());
  return flags;
}

Result<std::map<std::string, std::string>> parse_pairs(std::string_view flag,
                                                       std::string_view text) {
  std::map<std::string, std::string> pairs;
  for (const std::string& part : node_choice::list_of(text)) {
    const auto halves = split_once(part, '=');
    if (!halves || halves->before.empty()) {
      return Status(Reason::kInvalid,
                    "--" + std::string(flag) + " must be NAME=VALUE,..., not " + part);
    }
    pairs.insert_or_assign(std::string(halves->before), std::string(halves->after));
  }
  return pairs;
}

api::NodeName default_node_name() { return api::NodeName(to_lower(trim(host_name()))); }

namespace node_choice {

Result<void> read_logs(const Settings& settings, NodeSettings& wanted) {
  std::string folder = settings.text("pod-logs-dir");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const std::vector<std::string_view> parts = split(folder, '/');
  const bool plain = std::ranges::none_of(
      parts, [](std::string_view part) { return part == "." || part == ".."; });
  // Links to logs go into a folder beside it.
  if (!folder.starts_with('/') || folder == "/" || !plain) {
    return Status(Reason::kInvalid,
                  "--pod-logs-dir must be an absolute path such as /var/log/pods, not " +
                      settings.text("pod-logs-dir"));
  }
  wanted.kubelet.logs = folder;
  wanted.kubelet.log_records = wanted.place.log_records == folder ? "" : wanted.place.log_records;
  return {};
}

Result<NodeSettings> read(const Settings& settings, NodePaths place) {
  NodeSettings wanted;
  wanted.place = std::move(place);
  kubelet::KubeletOptions& options = wanted.kubelet;
  options.node_name = api::NodeName(settings.text("node-name"));
  if (options.node_name.empty()) options.node_name = default_node_name();
  if (!api::check_dns1123_subdomain(options.node_name.view()).empty()) {
    return Status(Reason::kInvalid,
                  "--node-name must consist of lower case letters, digits, '-' and '.', not " +
                      options.node_name.str());
  }
  options.addresses = TRY(addresses_of(settings));
  options.labels = TRY(labels_of(settings));
  options.taints = TRY(taints_of(settings));
  options.max_pods = settings.number("max-pods");
  options.system_reserved = TRY(amounts_of(settings, "system-reserved"));
  options.kube_reserved = TRY(amounts_of(settings, "kube-reserved"));
  options.manifests = settings.text("pod-manifest-path");
  options.root = wanted.place.kubelet_root;
  options.local_volumes = wanted.place.storage;
  TRY(read_logs(settings, wanted));
  options.cgroup_root = wanted.place.cgroup_root;
  options.port = static_cast<int>(settings.number("kubelet-port"));
  TRY(read_runtime(settings, wanted));
  TRY(read_network(settings, wanted));
  wanted.proxy = TRY(read_node_proxy(settings));
  if (wanted.proxy) wanted.proxy->node_name = options.node_name.str();
  return wanted;
}

}  // namespace node_choice

Result<NodeSettings> read_node_settings(const Settings& settings) {
  NodePaths place = TRY(find_node_paths(settings.text("data-dir")));
  return node_choice::read(settings, std::move(place));
}

Result<void> check_node_flags(const Settings& settings) {
  TRY(node_choice::read(settings, {}));
  return {};
}

}  // namespace proa::cli
