#include "cli/node/local_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/builtin.h"
#include "cli/command_line/build_info.h"
#include "cli/command_line/step.h"
#include "cli/host/notify.h"
#include "cli/node/dns/dns_flags.h"
#include "cli/node/foreign_runtime.h"
#include "cli/node/network/empty_tables.h"
#include "cli/node/network/encryption.h"
#include "cli/node/network/pod_ranges.h"
#include "kubelet/runtime/containerd/image_import.h"
#include "kubelet/runtime/containerd/socket_check.h"
#include "kubelet/runtime/cri/cri_runtime.h"
#include "network/forward/forward_rules.h"

namespace proa::cli {
namespace local_node {

constexpr Duration kSignalPollInterval = std::chrono::milliseconds(50);
constexpr Duration kReadyTimeout = std::chrono::minutes(1);
// Without a pod network of ours: the user's is there already, or is installed with kubectl later.
constexpr Duration kForeignNetworkTimeout = std::chrono::seconds(5);
// A server that has just started makes the Service a moment later.
constexpr Duration kDnsTimeout = std::chrono::seconds(5);
// From the moment when a network of ours says why it fails: mostly that stays so.
constexpr Duration kFailedNetworkTimeout = std::chrono::seconds(5);
// What stopping takes beyond the grace period of pods.
constexpr Duration kStopSlack = std::chrono::seconds(90);

// gRPC servers, so containerd, close connections that are pinged more often than every five minutes
// without data; the event stream would break off again and again. The kernel tells us when a peer
// on this machine is gone.
constexpr Duration kPingInterval = std::chrono::minutes(6);

http::ClientOptions http_options() {
  http::ClientOptions options;
  options.pool.connection.ping_after = kPingInterval;
  return options;
}

std::string_view words_for(kubelet::Supervisor::Found found) {
  using Found = kubelet::Supervisor::Found;
  switch (found) {
    case Found::kStarted:
      return "started";
    case Found::kAdopted:
      return "still running, taken over";
    case Found::kForeign:
      return "external";
  }
  return "";
}

}  // namespace local_node

LocalNode::LocalNode(Context context)
    : context_(std::move(context)),
      http_(context_.loops, context_.clock, local_node::http_options()),
      walls_({.client = context_.client,
              .files = context_.files,
              .clock = context_.clock,
              .random = context_.random,
              .settings = context_.settings}) {}

LocalNode::~LocalNode() { stop(); }

Result<void> LocalNode::start(Terminal& terminal) {
  Result<void> started = start_parts(terminal);
  // A containerd that was running already keeps its pods.
  const bool is_new =
      runtime_ != nullptr && runtime_->found() == kubelet::Supervisor::Found::kStarted;
  if (!started.ok() && is_new) runtime_->end();
  return started;
}

Result<void> LocalNode::start_parts(Terminal& terminal) {
  TRY(prepare_encryption());
  const NodePaths& place = context_.settings.place;
  TRY(context_.files.make_dirs(place.run_folder, 0711));
  TRY(record_tables(context_.files, context_.clock, place.tables));
  TRY(start_runtime(terminal));
  TRY(import_images(terminal));
  TRY(find_dns(terminal));
  context_.settings.kubelet.former_pod_cidrs = former_pod_ranges(context_.files, place.run_folder);
  kubelet_ = TRY(kubelet::Kubelet::make(
      {.client = context_.client,
       .schema = api::builtin_schema(),
       .clock = context_.clock,
       .random = context_.random,
       .files = context_.files,
       .loops = context_.loops,
       .http = http_,
       .pool = pool_,
       .options = context_.settings.kubelet,
       .version = std::string(build_info().git_version),
       .tls = context_.tls,
       .client_authority_pem = context_.client_authority_pem,
       .network = [this] { return network_seen(); },
       .prepare_network =
           [this](const kubelet::Pod& pod, const auto& addresses, const Until& until) {
             return walls_.prepare(pod, addresses, !pod_link().empty(), until);
           },
       .tidy_runtime =
           [this] {
             if (runtime_ != nullptr) runtime_->tidy();
           }}));
  // Before pods start.
  walls_.start(terminal, !pod_link().empty());
  start_dns(terminal);
  kubelet_->start();
  start_proxy(terminal);
  start_balancing();
  return start_network(terminal);
}

// What a node does for load balancers. The announcer rests unless they have addresses of a pool.
void LocalNode::start_balancing() {
  announcer_ = std::make_unique<network::Announcer>(
      network::Announcer::Context{.client = context_.client,
                                  .schema = api::builtin_schema(),
                                  .clock = context_.clock,
                                  .random = context_.random,
                                  .node = context_.settings.kubelet.node_name});
  announcer_->start();
  ports_ = std::make_unique<network::PortReporter>(
      network::PortReporter::Context{.client = context_.client,
                                     .schema = api::builtin_schema(),
                                     .clock = context_.clock,
                                     .random = context_.random,
                                     .pool = pool_,
                                     .node = context_.settings.kubelet.node_name});
  ports_->start();
}

Result<void> LocalNode::prepare_encryption() {
  NodeSettings& settings = context_.settings;
  if (!settings.network.encryption) return {};
  if (!settings.own_runtime) {
    return Status(Reason::kInvalid,
                  "--pod-network-encryption is for pod networks of Proa; an external runtime has "
                  "its own");
  }
  EncryptionKeys keys =
      TRY(cli::prepare_encryption(context_.files, context_.clock, context_.random,
                                  settings.place.data_dir + "/tls/wireguard.key"));
  settings.network.options.encryption = keys.encryption;
  settings.kubelet.annotations[std::string(network::kKeyAnnotation)] = std::move(keys.public_key);
  return {};
}

// Pods get the addresses of the cluster's DNS unless the user has given others: ours, or those of
// the user's Service.
Result<void> LocalNode::find_dns(Terminal& terminal) {
  NodeSettings& settings = context_.settings;
  // It may come later, as that of CoreDNS does: each pod gets what it is when the pod starts.
  settings.kubelet.dns_service = true;
  if (!settings.dns) return {};
  if (settings.dns_addresses.empty()) {
    const ClusterDns found =
        TRY(find_cluster_dns(context_.client, context_.clock, local_node::kDnsTimeout));
    settings.dns = found.ours;
    if (found.ours) settings.dns_addresses = found.addresses;
    if (found.addresses.empty()) {
      print_step(terminal, "dns", "none: the cluster has no Service kube-system/kube-dns");
    } else if (!found.ours) {
      print_step(terminal, "dns", "Service kube-system/kube-dns, which is not ours");
    }
  }
  if (!settings.kubelet.cluster_dns.empty()) return {};
  for (const IpAddress& address : settings.dns_addresses) {
    settings.kubelet.cluster_dns.push_back(address.str());
  }
  return {};
}

// The link of pods, if the network is ours.
std::string LocalNode::pod_link() const {
  const NodeSettings& settings = context_.settings;
  const bool ours = settings.own_runtime && settings.network.options.mode != network::Mode::kNone &&
                    !(has_network_ && network_->report().foreign);
  return ours ? settings.network.options.bridge : "";
}

// Pods run without it, too.
void LocalNode::start_dns(Terminal& terminal) {
  const NodeSettings& settings = context_.settings;
  if (!settings.dns) {
    const Result<void> removed = dns::remove_loopback_addresses(context_.files, context_.clock,
                                                                settings.place.dns_addresses);
    if (!removed.ok()) {
      print_step(terminal, "dns", "none, but addresses stay: " + removed.status().message());
    }
    return;
  }
  auto made = dns::DnsAgent::make({.client = context_.client,
                                   .schema = api::builtin_schema(),
                                   .clock = context_.clock,
                                   .random = context_.random,
                                   .files = context_.files,
                                   .loops = context_.loops,
                                   .pool = pool_,
                                   .node = settings.kubelet.node_name,
                                   .options = {.domain = settings.kubelet.cluster_domain,
                                               .addresses = settings.dns_addresses,
                                               .pod_link = pod_link(),
                                               .resolv_conf = settings.kubelet.resolv_conf,
                                               .record = settings.place.dns_addresses},
                                   .news = [this] { kubelet_->refresh_node(); }});
  Result<void> started;
  if (made.ok()) {
    dns_ = std::move(*made);
    started = dns_->start();
  } else {
    started = made.status();
  }
  print_step(terminal, "dns",
             started.ok()
                 ? settings.dns_addresses[0].str()
                 : "off, names of the cluster are not known: " + started.status().message());
}

// With an external runtime the network is that runtime's.
Result<void> LocalNode::start_network(Terminal& terminal) {
  const NodeSettings& settings = context_.settings;
  if (runtime_ == nullptr) return {};
  if (settings.network.options.mode == network::Mode::kNone) {
    remove_former_accepts(terminal);
    return {};
  }
  network::NetworkOptions options = settings.network.options;
  if (settings.dns) options.dns = settings.dns_addresses;
  network_ = std::make_unique<network::NetworkAgent>(network::NetworkAgent::Context{
      .client = context_.client,
      .schema = api::builtin_schema(),
      .clock = context_.clock,
      .random = context_.random,
      .files = context_.files,
      .node = settings.kubelet.node_name,
      .options = std::move(options),
      .cni_folder = settings.place.cni_folder,
      .cni_state = settings.place.cni_state,
      .cni_plugins = runtime_->cni_plugins(),
      .claim =
          [this](const std::vector<IpPrefix>& ranges) {
            return claim_pod_ranges(context_.files, context_.settings.place.run_folder, ranges);
          },
      .news =
          [this] {
            kubelet_->refresh_node();
            tell_dns_of_network();
          }});
  TRY(network_->start());
  has_network_ = true;
  tell_dns_of_network();
  return {};
}

void LocalNode::tell_dns_of_network() {
  if (dns_ == nullptr || !has_network_) return;
  dns_->set_pod_link(pod_link());
  dns_->set_cluster(network_->report().cluster);
}

// Of a start with our pod network: what is forwarded is the other network's business now.
void LocalNode::remove_former_accepts(Terminal& terminal) {
  auto rules = network::ForwardRules::open(context_.settings.network.options, context_.clock);
  const Result<void> removed = rules.ok() ? rules->remove() : rules.status();
  if (removed.ok()) return;
  print_step(terminal, "network", "none, but former rules stay: " + removed.status().message());
}

// What pods need of their node to reach others: the network, and names.
kubelet::PodNetworkSeen LocalNode::network_seen() const {
  kubelet::PodNetworkSeen seen = pod_network_seen();
  if (dns_ == nullptr) return seen;
  for (std::string& problem : dns_->problems()) seen.warnings.push_back(std::move(problem));
  return seen;
}

kubelet::PodNetworkSeen LocalNode::pod_network_seen() const {
  const NodeSettings& settings = context_.settings;
  const bool wanted = settings.own_runtime && settings.network.options.mode != network::Mode::kNone;
  // Pods may start a moment before it does.
  if (!has_network_) return {.ours = wanted};
  network::NetworkReport report = network_->report();
  kubelet::PodNetworkSeen seen{.warnings = std::move(report.warnings), .ours = !report.foreign};
  if (report.state.ok()) return seen;
  seen.failure = report.state.status().message();
  // No range yet, or not even looked.
  seen.expected = report.state.is(Reason::kNotFound) || !report.looked;
  return seen;
}

// Pods run without it, too: a machine that cannot have rules is still a node.
void LocalNode::start_proxy(Terminal& terminal) {
  if (!context_.settings.proxy) return remove_former_rules(terminal);
  auto made = make_proxy();
  if (!made.ok()) {
    print_step(terminal, "proxy", "off, Services have no addresses: " + made.status().message());
    return;
  }
  proxy_ = std::move(*made);
  proxy_->start();
  print_step(terminal, "proxy", std::string(proxy::name_of(context_.settings.proxy->mode)));
}

// Of a start with a proxy: nobody would follow the Services.
void LocalNode::remove_former_rules(Terminal& terminal) {
  const Result<bool> removed = proxy::remove_recorded_rules(context_.files, context_.clock,
                                                            context_.settings.place.proxy_mode);
  // Another proxy runs: rules are its own now.
  if (removed.is(Reason::kConflict)) return;
  if (!removed.ok()) {
    print_step(terminal, "proxy", "none, but former rules stay: " + removed.status().message());
  } else if (*removed) {
    print_step(terminal, "proxy", "none, former rules are removed");
  }
}

Result<std::unique_ptr<proxy::ServiceProxy>> LocalNode::make_proxy() {
  const NodePaths& place = context_.settings.place;
  // With an external runtime nobody made it yet.
  TRY(context_.files.make_dirs(place.run_folder, 0711));
  return proxy::ServiceProxy::make({.client = context_.client,
                                    .schema = api::builtin_schema(),
                                    .clock = context_.clock,
                                    .random = context_.random,
                                    .files = context_.files,
                                    .loops = context_.loops,
                                    .pool = pool_,
                                    .record = place.proxy_mode,
                                    .options = *context_.settings.proxy});
}

Result<void> LocalNode::start_runtime(Terminal& terminal) {
  const NodeSettings& settings = context_.settings;
  const std::string& socket = settings.kubelet.runtime_socket;
  if (!settings.own_runtime) {
    if (!kubelet::who_listens(socket)) {
      return Status(
          Reason::kServiceUnavailable,
          "no container runtime listens on " + socket +
              "; start it, or omit --container-runtime-endpoint to have containerd started");
    }
    print_step(terminal, "runtime", socket);
    return note_foreign_runtime(context_.files, settings.place, socket);
  }
  const Steady begin = context_.clock.steady();
  OwnRuntime::Options options;
  options.sandbox_image = settings.kubelet.pause_image;
  options.foreign_network = settings.network.options.mode == network::Mode::kNone;
  options.default_runtime = settings.default_runtime;
  runtime_ = TRY(OwnRuntime::start(context_.files, context_.clock, settings.place, options));
  print_step(terminal, "runtime",
             fmt::format("containerd {}, {} ms", local_node::words_for(runtime_->found()),
                         std::chrono::duration_cast<std::chrono::milliseconds>(
                             context_.clock.steady() - begin)
                             .count()));
  return {};
}

Result<void> LocalNode::import_images(Terminal& terminal) {
  const std::string& socket = context_.settings.kubelet.runtime_socket;
  const auto runtime = kubelet::cri::connect_runtime(http_, socket);
  const Until until = Until::after(context_.clock, context_.settings.start_timeout);
  const auto imported = kubelet::import_builtin_images(*runtime, socket, context_.clock, until);
  // Other runtimes than containerd have their own import and pause image.
  if (!imported && context_.settings.own_runtime) return imported.status();
  if (!imported) {
    print_step(terminal, "images", "not imported: " + imported.status().message());
  } else {
    print_step(terminal, "images",
               *imported == 0 ? "proa/pause:1 and proa/hello:1 are present"
                              : fmt::format("{} imported", *imported));
  }
  return {};
}

std::optional<std::string_view> LocalNode::await_ready(StopSignals& signals, Terminal& terminal) {
  const std::string& name = context_.settings.kubelet.node_name.str();
  const bool foreign_network = context_.settings.network.options.mode == network::Mode::kNone;
  Steady deadline = context_.clock.steady() + (foreign_network ? local_node::kForeignNetworkTimeout
                                                               : local_node::kReadyTimeout);
  std::string told;
  while (!kubelet_->wait_ready(Until::after(context_.clock, local_node::kSignalPollInterval))) {
    if (const auto signal = signals.wait_for(Duration(0))) return signal;
    const kubelet::PodNetworkSeen network = network_seen();
    if (!network.failure.empty() && !network.expected && told != network.failure) {
      told = network.failure;
      print_step(terminal, "network", told);
      deadline = std::min(deadline, context_.clock.steady() + local_node::kFailedNetworkTimeout);
    }
    if (context_.clock.steady() >= deadline) {
      print_step(terminal, "node", name + " is not ready yet; see `kubectl describe node`");
      if (told.empty() && !network.failure.empty()) {
        print_step(terminal, "network", network.failure);
      }
      return std::nullopt;
    }
  }
  print_step(terminal, "node", name + " is ready");
  return std::nullopt;
}

void LocalNode::stop_pods(Duration most_grace, Terminal& terminal) {
  if (kubelet_ == nullptr) return;
  const Duration longest = std::min(most_grace, kubelet_->longest_grace());
  terminal.out("stopping pods, with at most " + format_duration(longest) + " of grace\n");
  // Longer than the service manager waits by itself.
  const auto extension =
      std::chrono::duration_cast<std::chrono::microseconds>(longest + local_node::kStopSlack);
  notify_own_service_manager(fmt::format("EXTEND_TIMEOUT_USEC={}", extension.count()));
  kubelet_->stop_containers(most_grace);
}

void LocalNode::stop() {
  if (ports_ != nullptr) ports_->stop();
  if (dns_ != nullptr) dns_->stop();
  if (announcer_ != nullptr) announcer_->stop();
  if (proxy_ != nullptr) proxy_->stop();
  if (network_ != nullptr) network_->stop();
  if (kubelet_ != nullptr) kubelet_->stop();
  // Pods that start wait for it.
  walls_.stop();
  if (runtime_ != nullptr) runtime_->leave();
}

}  // namespace proa::cli
