#include "network/guard/pod_guard.h"

#include <linux/netlink.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "base/strings.h"
#include "client/informer/backoff.h"
#include "netlink/nft/transaction.h"
#include "netlink/route/read.h"

namespace proa::network {
namespace pod_guard {

const Log kLog{"network"};

void watch(FolderChanges& files) {
  const Result<bool> watched = files.watch();
  if (watched) return;
  kLog.warn("watching the results of CNI plugins failed; changes are noticed late",
            {{"error", watched.status()}});
}
constexpr Duration kPatience = std::chrono::seconds(10);
// A pod that comes or goes makes a dozen notifications; and others may delete rules in a loop.
constexpr Duration kSettle = std::chrono::milliseconds(100);
constexpr client::Backoff kBackoff{
    .first = std::chrono::milliseconds(500), .most = std::chrono::seconds(30), .jitter = 0};
constexpr uint32_t kMostLines = 10;
constexpr Duration kLinePeriod = std::chrono::seconds(60);

std::string text_of(const std::vector<IpAddress>& addresses) {
  std::vector<std::string> texts;
  for (const IpAddress& address : addresses) texts.push_back(address.str());
  return join(texts, ",");
}

// Names of the links on a bridge; none if there is no bridge.
std::set<std::string> ports_of(const std::vector<netlink::Link>& links, const std::string& bridge) {
  std::set<std::string> ports;
  const auto found = std::ranges::find(links, bridge, &netlink::Link::name);
  if (found == links.end()) return ports;
  for (const netlink::Link& link : links) {
    if (link.master == found->index) ports.insert(link.name);
  }
  return ports;
}

bool are_known(const std::vector<IpAddress>& addresses, const std::vector<PodPort>& pods) {
  return std::ranges::all_of(addresses, [&](const IpAddress& address) {
    return std::ranges::any_of(pods, [&](const PodPort& pod) {
      return std::ranges::find(pod.addresses, address) != pod.addresses.end();
    });
  });
}

}  // namespace pod_guard

std::vector<PodPort> pod_ports(const std::set<std::string>& ports,
                               const std::map<std::string, AttachedPod>& pods) {
  std::vector<PodPort> found;
  for (const auto& [file, pod] : pods) {
    for (const std::string& link : pod.links) {
      if (ports.contains(link)) found.push_back({link, pod.mac, pod.addresses, pod.broadcasts});
    }
  }
  return found;
}

PodGuard::PodGuard(Context context)
    : context_(std::move(context)),
      log_limit_(context_.clock, pod_guard::kMostLines, pod_guard::kLinePeriod),
      results_(context_.files, context_.results, context_.options.bridge) {}

PodGuard::~PodGuard() { stop(); }

Result<void> PodGuard::start() {
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, context_.clock));
  TRY(netlink::nft::check_usable(socket, netlink::nft::Family::kBridge,
                                 Until::after(context_.clock, pod_guard::kPatience)));
  netlink::Routing routing = TRY(netlink::Routing::open(context_.clock));
  // Before it is looked, so that no change falls between.
  listener_ = TRY(netlink::listen_for_routes(context_.clock));
  monitor_ = TRY(netlink::nft::Monitor::open({guard_table_name(context_.options)}, context_.clock));
  files_ = TRY(FolderChanges::open(context_.results));
  pod_guard::watch(*files_);
  {
    MutexLock lock(mutex_);
    tools_.emplace(Tools{.socket = std::move(socket), .routing = std::move(routing)});
  }
  // Pods that run have their rules before others start. What fails is tried again.
  const bool done = prepare({}).ok();
  const Steady again = done ? Steady::max() : context_.clock.steady();
  thread_ = std::jthread([this, again](const std::stop_token& stop) { run(again, stop); });
  return {};
}

void PodGuard::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

Result<void> PodGuard::prepare(const std::vector<IpAddress>& addresses) {
  MutexLock lock(mutex_);
  TRY(refresh());
  if (pod_guard::are_known(addresses, pods_)) return {};
  if (const auto omitted = log_limit_.next()) {
    pod_guard::kLog.warn(
        "nothing tells by which port a pod sends; it can send with addresses of others",
        {{"addresses", pod_guard::text_of(addresses)},
         {"folder", context_.results},
         {"omitted", *omitted}});
  }
  return {};
}

Result<void> PodGuard::refresh() {
  CHECK(tools_.has_value());
  const std::vector<netlink::Link> links = TRY(tools_->routing.links());
  const std::set<std::string> ports = pod_guard::ports_of(links, context_.options.bridge);
  TRY(results_.refresh(ports));
  std::vector<PodPort> pods = pod_ports(ports, results_.pods());
  TRY(kept_.set(tools_->socket, guard_table(context_.options, ports, pods),
                Until::after(context_.clock, pod_guard::kPatience)));
  pods_ = std::move(pods);
  return {};
}

// Ports come and go with pods, and the bridge with the first and the last of them.
bool PodGuard::concerns(const netlink::Message& message) const {
  const auto link = netlink::read_link(message);
  return link &&
         (link->kind == "veth" || link->master != 0 || link->name == context_.options.bridge);
}

// Whether something has changed; false if the time is over.
bool PodGuard::wait(Steady until, const std::stop_token& stop) {
  bool changed = false;
  const auto look = [&](const netlink::Message& message) -> Result<void> {
    changed = changed || concerns(message);
    return {};
  };
  const std::array<int, 2> others = {monitor_->descriptor(), files_->descriptor()};
  const auto received = listener_->receive({.deadline = until, .stop = stop}, look, others);
  // Lost notifications may have been relevant ones.
  if (!received.ok()) changed = true;
  if (files_->changed()) changed = true;
  if (!monitor_->disturbed()) return changed;
  MutexLock lock(mutex_);
  kept_.forget();
  return true;
}

void PodGuard::settle(const std::stop_token& stop) {
  const Steady until = context_.clock.steady() + pod_guard::kSettle;
  while (!stop.stop_requested() && context_.clock.steady() < until) wait(until, stop);
}

void PodGuard::run(Steady again, const std::stop_token& stop) {
  int failures = 0;
  while (!stop.stop_requested()) {
    const bool changed = wait(again, stop);
    if (changed) settle(stop);
    if (stop.stop_requested()) return;
    if (!changed && context_.clock.steady() < again) continue;
    Result<void> done;
    // The runtime makes the folder with its first pod.
    pod_guard::watch(*files_);
    {
      MutexLock lock(mutex_);
      done = refresh();
    }
    again = Steady::max();
    if (done.ok()) {
      failures = 0;
      continue;
    }
    again = context_.clock.steady() + pod_guard::kBackoff.after(++failures, context_.random);
    if (const auto omitted = log_limit_.next()) {
      pod_guard::kLog.error("guarding the ports of pods failed; it is tried again",
                            {{"error", done.status()}, {"omitted", *omitted}});
    }
  }
}

Result<void> remove_guard(const NetworkOptions& options, Clock& clock) {
  netlink::Socket socket = TRY(netlink::Socket::open(NETLINK_NETFILTER, clock));
  const Until until = Until::after(clock, pod_guard::kPatience);
  if (!netlink::nft::check_usable(socket, netlink::nft::Family::kBridge, until).ok()) return {};
  netlink::nft::Transaction transaction;
  transaction.remove_table(guard_table_name(options));
  return std::move(transaction).commit(socket, until);
}

}  // namespace proa::network
