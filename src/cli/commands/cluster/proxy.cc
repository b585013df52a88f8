#include "cli/commands/cluster/proxy.h"

#include "api/schema/builtin.h"
#include "base/files.h"
#include "base/net/ip_address.h"
#include "base/random.h"
#include "base/strings.h"
#include "cli/credentials/admin_client.h"
#include "cli/host/rights.h"
#include "cli/host/signals.h"
#include "cli/node/node_flags.h"
#include "cli/node/proxy/proxy_flags.h"
#include "cli/scheduler/scheduler_flags.h"
#include "proxy/service_proxy.h"

namespace proa::cli {
namespace proxy_alone {

// As for other API clients.
constexpr Duration kRequestTimeout = std::chrono::seconds(30);
// Does not outlive a reboot, as rules do not.
constexpr const char* kRecordFolder = "/run";

Result<void> read_address(const Settings& settings, std::string_view flag, std::string& address,
                          int& port) {
  const std::string& text = settings.text(flag);
  // As for kube-proxy.
  if (text.empty()) {
    port = 0;
    return {};
  }
  const size_t colon = text.rfind(':');
  const std::string_view host = std::string_view(text).substr(0, std::min(colon, text.size()));
  const auto number = colon == std::string::npos
                          ? std::nullopt
                          : parse_int(std::string_view(text).substr(colon + 1));
  const bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  address = bracketed ? host.substr(1, host.size() - 2) : host;
  if (!number || *number < 0 || *number > 65535 || !parse_ip(address)) {
    return Status(Reason::kInvalid, "--" + std::string(flag) +
                                        " must be ADDRESS:PORT such as 0.0.0.0:10256, not " + text);
  }
  port = static_cast<int>(*number);
  return {};
}

Result<std::vector<IpPrefix>> read_pod_ranges(const Settings& settings) {
  const std::string& own = settings.text("pod-ranges");
  const std::string& theirs = settings.text("cluster-cidr");
  if (!own.empty() && !theirs.empty()) {
    return Status(Reason::kInvalid, "--pod-ranges and --cluster-cidr must not both be set");
  }
  std::vector<IpPrefix> ranges;
  for (const std::string_view part : split(own.empty() ? theirs : own, ',')) {
    if (trim(part).empty()) continue;
    const auto range = parse_prefix(trim(part));
    if (!range) {
      return Status(Reason::kInvalid, std::string(own.empty() ? "--cluster-cidr" : "--pod-ranges") +
                                          " must be CIDRs such as 10.244.0.0/16, not " +
                                          std::string(part));
    }
    ranges.push_back(*range);
  }
  return ranges;
}

Result<proxy::ProxyOptions> read_options(const Settings& settings) {
  proxy::ProxyOptions options;
  TRY(read_proxy_mode(settings, options));
  options.node_name = settings.text("hostname-override");
  if (options.node_name.empty()) options.node_name = default_node_name().str();
  options.cluster_ranges = TRY(read_pod_ranges(settings));
  options.masquerade_all = settings.on("masquerade-all");
  TRY(read_address(settings, "healthz-bind-address", options.healthz_address,
                   options.healthz_port));
  TRY(read_address(settings, "metrics-bind-address", options.metrics_address,
                   options.metrics_port));
  return options;
}

Result<void> check(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  // The configuration file may say that there is no proxy.
  if (settings.on("cleanup")) return {};
  TRY(read_options(settings));
  if (settings.text("kubeconfig").empty()) {
    return Status(Reason::kInvalid,
                  "--kubeconfig is required; `proa up` and `proa node` run their own proxy");
  }
  return {};
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  TRY(require_root("writing firewall rules"));
  SystemClock clock;
  SystemFiles files;
  const std::string record = proxy::mode_record_path(kRecordFolder);
  if (settings.on("cleanup")) {
    TRY(proxy::remove_all_rules(files, clock, record));
    terminal.out("Rules of Services removed.\n");
    return {};
  }
  proxy::ProxyOptions options = TRY(read_options(settings));
  StopSignals signals;
  SystemRandom random;
  const auto cluster =
      TRY(AdminClient::open_kubeconfig(settings.text("kubeconfig"), kRequestTimeout));
  http::LoopGroup loops(1);
  WorkerPool pool;
  const auto proxy = TRY(proxy::ServiceProxy::make({.client = cluster->client().unbounded(),
                                                    .schema = api::builtin_schema(),
                                                    .clock = clock,
                                                    .random = random,
                                                    .files = files,
                                                    .loops = loops,
                                                    .pool = pool,
                                                    .record = record,
                                                    .options = std::move(options)}));
  proxy->start();
  terminal.out("Service proxy for " + cluster->server() +
               ". Ctrl-C or SIGTERM stops it; rules stay until `proa proxy --cleanup`.\n");
  const std::string_view signal = signals.wait();
  signals.release();
  terminal.out(std::string(signal) + ": stopping\n");
  // Before the proxy: an Event may be on its way to a server that does not answer.
  cluster->stop();
  proxy->stop();
  terminal.out("Stopped.\n");
  return {};
}

}  // namespace proxy_alone

Command proxy_command() {
  return {
      .name = "proxy",
      .summary =
          "Run the service proxy of this machine for a remote API server, in the foreground.",
      .description =
          "Works with Proa and with upstream's kube-apiserver, in place of kube-proxy. `proa up`\n"
          "and `proa node` run their own unless they have --proxy-mode=none. The kubeconfig's\n"
          "user needs the role system:node-proxier.",
      .flags = {kubeconfig_flag(),
                {.name = "proxy-mode",
                 .kind = ValueKind::kChoice,
                 .fallback = "nftables",
                 .summary = "rules that carry Services; none: for `proa up` and `proa node`, and "
                            "here only with --cleanup",
                 .choices = {"nftables", "iptables", "none"}},
                nodeport_addresses_flag(),
                {.name = "pod-ranges",
                 .word = "CIDR,...",
                 .summary = "CIDRs of all pods, from which traffic to Services is not masqueraded; "
                            "default: those of this node, as its Node says"},
                {.name = "cluster-cidr",
                 .word = "CIDR,...",
                 .summary = "CIDR of pods, one, or one per IP family; kube-proxy's name of "
                            "--pod-ranges"},
                {.name = "masquerade-all",
                 .kind = ValueKind::kSwitch,
                 .fallback = "false",
                 .summary = "masquerade all traffic to cluster IPs"},
                {.name = "hostname-override",
                 .word = "NAME",
                 .summary = "name of this node; default: the host name in lower case"},
                {.name = "healthz-bind-address",
                 .word = "ADDRESS:PORT",
                 .fallback = "0.0.0.0:10256",
                 .summary = "where /healthz and /livez are served; port 0 or empty: nowhere"},
                {.name = "metrics-bind-address",
                 .word = "ADDRESS:PORT",
                 .fallback = "127.0.0.1:10249",
                 .summary = "where /metrics is served; port 0 or empty: nowhere"},
                {.name = "cleanup",
                 .kind = ValueKind::kSwitch,
                 .fallback = "false",
                 .summary = "remove the rules of Services, and exit"}},
      .run = proxy_alone::run,
      .check = proxy_alone::check};
}

}  // namespace proa::cli
