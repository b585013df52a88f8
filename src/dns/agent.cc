#include "dns/agent.h"

#include <fmt/format.h>
#include <linux/rtnetlink.h>

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "dns/config/config_map.h"
#include "dns/config/host_upstreams.h"

namespace proa::dns {
namespace agent {

const Log kLog{"dns"};

// After a failure: the program that has the port may be about to end.
constexpr Duration kRetry = std::chrono::seconds(2);
// A file that is being replaced is gone, then empty, for a moment; what it says then is not used.
constexpr Duration kSettle = std::chrono::milliseconds(100);
// Where changes of the host's resolv.conf, or the end of who has the port of metrics, are not
// noticed.
constexpr Duration kReadAgain = std::chrono::seconds(30);
// More threads than this do not answer more: the kernel's part is the larger one.
constexpr size_t kMostThreads = 4;

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    kLog.warn("a part of the DNS configuration is not used", {{"problem", warning}});
  }
}

size_t threads() {
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostThreads);
}

constexpr const char* kComponent = "proa-dns";

const api::Resource& events(const api::Schema& schema) {
  const api::Resource* resource = schema.find_resource("", "v1", "events");
  CHECK(resource != nullptr);
  return *resource;
}

constexpr MetricFamily kBuildInfo{
    .name = "coredns_build_info",
    .help =
        "A metric with a constant '1' value labeled by version, revision, and goversion from "
        "which CoreDNS was built.",
    .kind = MetricKind::kGauge,
    .labels = {"goversion", "revision", "version"}};

}  // namespace agent

Result<std::unique_ptr<DnsAgent>> DnsAgent::make(Context context) {
  Zone zone =
      TRY(Zone::make({.domain = context.options.domain, .servers = context.options.addresses}));
  return std::unique_ptr<DnsAgent>(new DnsAgent(std::move(context), std::move(zone)));
}

DnsAgent::DnsAgent(Context context, Zone zone)
    : context_(std::move(context)),
      settings_metrics_(metrics_),
      cluster_(std::move(zone), static_cast<uint32_t>(context_.random.next())),
      access_(context_.clock),
      events_(context_.client, context_.clock, context_.pool, agent::events(context_.schema),
              {agent::kComponent, context_.node.str()}),
      forwarder_({.clock = context_.clock,
                  .random = context_.random,
                  .metrics = metrics_,
                  .looped = [this](const std::string& name,
                                   const Upstream& upstream) { tell_of_loop(name, upstream); },
                  .silent = [this](const std::string& name,
                                   const Upstream& upstream) { tell_of_silence(name, upstream); }}),
      handler_({.cluster = cluster_,
                .clock = context_.clock,
                .statistics = statistics_,
                .forwarder = &forwarder_}),
      follower_(
          {.client = context_.client,
           .schema = context_.schema,
           .clock = context_.clock,
           .random = context_.random,
           .metrics = metrics_,
           .cluster = cluster_,
           .node = context_.node.str(),
           .configured = [this](const Follower::ConfigData& data,
                                const std::string& uid) { configure(data, uid); },
           .pods_changed =
               [this](std::vector<IpPrefix> ranges) { access_.set_pods(std::move(ranges)); }}),
      poller_(context_.clock),
      metrics_server_(context_.loops, metrics_, access_),
      host_changes_(context_.options.resolv_conf),
      state_(Status(Reason::kServiceUnavailable, "DNS is starting")) {
  metrics_.gauge(agent::kBuildInfo, {"", "", "proa"}).set(1);
  metrics_.collect([this](MetricsText& text) { statistics_.write(text); });
  metrics_.collect([](MetricsText& text) { add_process_metrics(text); });
  access_.set_link(context_.options.pod_link);
  follower_.join(poller_);
}

DnsAgent::~DnsAgent() { stop(); }

Result<void> DnsAgent::start() {
  addresses_ =
      TRY(LoopbackAddresses::open(context_.files, context_.clock, context_.options.record));
  listener_ = TRY(netlink::listen_for_routes(context_.clock));
  watch_host();
  configure({}, {});
  forwarder_.start();
  poller_.start();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  return {};
}

void DnsAgent::stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    listener_->wake();
    thread_.join();
  }
  udp_.reset();
  tcp_.reset();
  claim_.reset();
  poller_.stop();
  forwarder_.stop();
}

Result<void> DnsAgent::state() const {
  MutexLock lock(mutex_);
  return state_;
}

std::vector<std::string> DnsAgent::problems() const {
  MutexLock lock(mutex_);
  std::vector<std::string> all = config_problems_;
  if (looked_ && !state_.ok()) {
    all.push_back("DNS does not answer, so pods cannot resolve names: " +
                  state_.status().message());
  }
  if (!metrics_problem_.empty()) all.push_back(metrics_problem_);
  return all;
}

// A configuration with errors is not used: the one before stays.
void DnsAgent::configure(const Follower::ConfigData& data, const std::string& uid) {
  Problems problems;
  Settings settings = read_config_map(data, context_.options.domain, problems);
  agent::warn(problems.warnings);
  for (const std::string& error : problems.errors) {
    agent::kLog.error("the DNS configuration is not used: ConfigMap kube-system/proa-dns",
                      {{"problem", error}});
  }
  tell_of_config(problems, uid);
  if (!problems.errors.empty()) return settings_metrics_.failed();
  const HostServers host = read_host();
  agent::warn(host.warnings);
  MutexLock lock(config_mutex_);
  // Another label of the ConfigMap is no reason to empty the cache.
  if (configured_ && settings == settings_ && host == host_) return;
  configured_ = true;
  settings_ = std::move(settings);
  host_ = host;
  apply();
}

void DnsAgent::tell_of_config(const Problems& problems, const std::string& uid) {
  const client::ObjectReference about{.api_version = "v1",
                                      .kind = "ConfigMap",
                                      .name_space = std::string(kConfigMapNamespace),
                                      .name = std::string(kConfigMapName),
                                      .uid = uid,
                                      .resource_version = {},
                                      .field_path = {}};
  std::vector<std::string> found;
  for (const std::string& error : problems.errors) {
    events_.warning(about, "DNSConfigInvalid",
                    "not used, the former configuration stays in force: " + error);
    found.push_back(fmt::format("the DNS configuration is not used: ConfigMap {}/{}: {}",
                                kConfigMapNamespace, kConfigMapName, error));
  }
  for (const std::string& warning : problems.warnings) {
    events_.warning(about, "DNSConfigIgnored", "a part is not used: " + warning);
  }
  {
    MutexLock lock(mutex_);
    if (found == config_problems_) return;
    config_problems_ = std::move(found);
  }
  if (context_.news) context_.news();
}

DnsAgent::HostServers DnsAgent::read_host() const {
  Problems problems;
  HostServers found;
  found.upstreams = host_upstreams(context_.files, context_.options.resolv_conf,
                                   context_.options.addresses, problems);
  found.warnings = std::move(problems.warnings);
  return found;
}

void DnsAgent::reload_host() {
  HostServers found = read_host();
  MutexLock lock(config_mutex_);
  if (found == host_) return;
  agent::warn(found.warnings);
  const bool same = found.upstreams == host_.upstreams;
  host_ = std::move(found);
  if (same) return;
  agent::kLog.info("the host has other resolvers", {{"number", host_.upstreams.size()}});
  apply();
}

void DnsAgent::apply() {
  auto zone = Zone::make({.domain = context_.options.domain,
                          .ttl = settings_.cluster.ttl,
                          .pod_names = settings_.cluster.pods != PodRecords::kDisabled,
                          .servers = context_.options.addresses});
  {
    WriterLock lock(cluster_.mutex);
    if (zone.ok()) cluster_.zone = std::move(*zone);
  }
  handler_.configure(settings_);
  settings_metrics_.applied(settings_, context_.clock.now());
  handler_.set_local_names({settings_.hosts, settings_.rewrites});
  forwarder_.configure(with_host_upstreams(settings_.forwards, host_.upstreams), settings_.cache,
                       settings_.detect_loops);
  agent::kLog.info("DNS is configured",
                   {{"ttl", settings_.cluster.ttl}, {"zones", settings_.forwards.size()}});
}

void DnsAgent::tell_of_loop(const std::string& zone, const Upstream& upstream) {
  events_.warning(
      own_node(), "DNSLoop",
      fmt::format(
          "upstream resolver {} (zone {}) asks the cluster's DNS: queries would loop, so it "
          "is not asked any more; remove it from {} or set \"upstreams\" of ConfigMap {}/{}",
          upstream.str(), zone, context_.options.resolv_conf, kConfigMapNamespace, kConfigMapName));
}

void DnsAgent::tell_of_silence(const std::string& zone, const Upstream& upstream) {
  events_.warning(own_node(), "DNSUpstreamSilent",
                  fmt::format("upstream resolver {} (zone {}) does not answer; it is asked again "
                              "once it does, and others of the zone meanwhile",
                              upstream.str(), zone));
}

client::ObjectReference DnsAgent::own_node() const {
  // As the kubelet's Events: this may be before the Node exists, so the name stands for the UID.
  return {.api_version = "v1",
          .kind = "Node",
          .name_space = {},
          .name = context_.node.str(),
          .uid = context_.node.str(),
          .resource_version = {},
          .field_path = {}};
}

void DnsAgent::watch_host() {
  host_due_ = host_changes_.watch() ? Steady::max() : context_.clock.steady() + agent::kReadAgain;
}

// Another cluster on this machine would take turns with this one: sockets of UDP share a port.
Result<void> DnsAgent::claim() {
  if (claim_) return {};
  const std::string address = context_.options.addresses[0].str();
  claim_ = TRY(NamespaceClaim::take("proa-dns-" + address));
  if (claim_) return {};
  return Status(Reason::kConflict,
                "another node of Proa on this machine answers DNS at " + address +
                    "; give one of the clusters another --service-cluster-ip-range");
}

void DnsAgent::serve_metrics() {
  if (metrics_serve_) return;
  const Result<int> served = metrics_server_.listen(context_.options.metrics_port);
  metrics_serve_ = served.ok();
  std::string problem;
  if (!served.ok()) problem = "metrics of DNS are not served: " + served.status().message();
  {
    MutexLock lock(mutex_);
    if (metrics_problem_ == problem) return;
    metrics_problem_ = problem;
  }
  if (!problem.empty()) agent::kLog.warn("metrics are not served", {{"error", served.status()}});
  if (context_.news) context_.news();
}

Result<void> DnsAgent::ensure() {
  const DnsOptions& options = context_.options;
  TRY(claim());
  TRY(addresses_->ensure(options.addresses));
  // TCP first: unlike the sockets of UDP, it does not share the port with another node's process.
  if (tcp_ == nullptr) {
    tcp_ = TRY(TcpServer::start({.handler = handler_,
                                 .access = access_,
                                 .statistics = statistics_,
                                 .clock = context_.clock,
                                 .addresses = options.addresses,
                                 .port = options.port}));
  }
  if (udp_ == nullptr) {
    udp_ = TRY(UdpServer::start({.handler = handler_,
                                 .access = access_,
                                 .statistics = statistics_,
                                 .addresses = options.addresses,
                                 .port = options.port,
                                 .threads = agent::threads()}));
    agent::kLog.info("DNS answers",
                     {{"address", options.addresses[0].str()}, {"domain", options.domain}});
  }
  serve_metrics();
  return {};
}

void DnsAgent::set_state(const Result<void>& state) {
  const auto text_of = [](const Result<void>& one) {
    return one.ok() ? std::string() : one.status().message();
  };
  bool changed = false;
  {
    MutexLock lock(mutex_);
    changed = text_of(state_) != text_of(state);
    state_ = state;
    looked_ = true;
  }
  if (changed && context_.news) context_.news();
  if (changed && !state.ok()) {
    agent::kLog.warn("DNS is not complete; it is tried again", {{"error", state.status()}});
  }
}

bool DnsAgent::wait(Steady until, const std::stop_token& stop) {
  bool gone = false;
  const auto received = listener_->receive(
      {.deadline = std::min(until, host_due_), .stop = stop},
      [&](const netlink::Message& message) -> Result<void> {
        gone = gone || message.header.nlmsg_type == RTM_DELADDR;
        return {};
      },
      host_changes_.descriptors());
  // Reports that are lost may have been about our addresses.
  if (!received.ok()) gone = true;
  const Steady now = context_.clock.steady();
  if (host_changes_.changed()) host_due_ = std::min(host_due_, now + agent::kSettle);
  if (now >= host_due_) {
    watch_host();
    reload_host();
  }
  return gone;
}

void DnsAgent::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Result<void> done = ensure();
    set_state(done);
    const bool settled = done.ok() && metrics_serve_;
    const Duration pause = done.ok() ? agent::kReadAgain : agent::kRetry;
    const Steady again = settled ? Steady::max() : context_.clock.steady() + pause;
    bool gone = false;
    while (!gone && !stop.stop_requested() && context_.clock.steady() < again) {
      gone = wait(again, stop);
    }
  }
}

}  // namespace proa::dns
