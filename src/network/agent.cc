#include "network/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/log.h"
#include "client/informer/backoff.h"
#include "netlink/route/routing.h"
#include "network/apply/relevance.h"
#include "network/cni/cni_folder.h"

namespace proa::network {
namespace agent {

const Log kLog{"network"};

// After a failure: the kernel or a file system may be busy.
constexpr client::Backoff kBackoff{
    .first = std::chrono::milliseconds(500), .most = std::chrono::seconds(30), .jitter = 0};
// Changes come in bursts (a link and its addresses, a hundred Nodes).
constexpr Duration kSettle = std::chrono::milliseconds(20);
constexpr Duration kMostSettle = std::chrono::seconds(1);
// It rests for as many times as long as it has worked.
constexpr int kRest = 9;
constexpr Duration kMostRest = std::chrono::seconds(2);
// For what the kernel does not report.
constexpr Duration kLookAgain = std::chrono::seconds(60);
// About problems that come and go.
constexpr uint32_t kMostLines = 30;
constexpr Duration kLinePeriod = std::chrono::seconds(20);

std::optional<TunnelGuard> guard_of(const NetworkPlan& plan, const NetworkOptions& options) {
  if (!plan.tunnel || plan.tunnel->encrypted) return std::nullopt;
  return TunnelGuard{.port = options.vxlan_port,
                     .id = options.vxlan_id,
                     .v6 = !plan.tunnel->local.is_v4(),
                     .senders = plan.tunnel->senders};
}

std::vector<IpPrefix> cluster_of(const std::vector<NodeFacts>& nodes) {
  std::vector<IpPrefix> all;
  for (const NodeFacts& node : nodes) {
    all.insert(all.end(), node.ranges.begin(), node.ranges.end());
    for (const IpAddress& address : node.addresses) {
      all.push_back(
          {.address = address, .bits = address.is_v4() ? 32U : 128U, .v6 = !address.is_v4()});
    }
  }
  return all;
}

}  // namespace agent

NetworkAgent::NetworkAgent(Context context)
    : context_(std::move(context)),
      nodes_(context_.client, context_.clock, context_.random,
             {.place = {.resource = context_.schema.find_resource("", "v1", "nodes"),
                        .name_space = {},
                        .name = {},
                        .subresource = {}},
              .labels = {},
              .fields = {}}),
      log_limit_(context_.clock, agent::kMostLines, agent::kLinePeriod),
      report_{.state = Status(Reason::kServiceUnavailable, "the pod network is starting")} {
  nodes_.add_handler([this](const client::Change& change) { node_changed(change); });
}

NetworkAgent::~NetworkAgent() { stop(); }

Result<void> NetworkAgent::start() {
  listener_ = TRY(netlink::listen_for_routes(context_.clock));
  kernel_ = TRY(Kernel::open(context_.options, context_.clock));
  neighbours_ = TRY(netlink::NeighbourMonitor::open(context_.clock));
  rules_ = TRY(MasqueradeRules::open(context_.options, context_.clock));
  forward_ = TRY(ForwardRules::open(context_.options, context_.clock));
  configs_ = TRY(FolderChanges::open(context_.cni_folder));
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  nodes_.start();
  return {};
}

void NetworkAgent::stop() {
  nodes_.stop();
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

NetworkReport NetworkAgent::report() const {
  MutexLock lock(mutex_);
  return report_;
}

// Each failure and warning is logged once, until it is over.
void NetworkAgent::set_state(const Result<void>& state) {
  const auto text_of = [](const Result<void>& one) {
    return one.ok() ? std::string() : one.status().message();
  };
  NetworkReport before;
  {
    MutexLock lock(mutex_);
    before = std::exchange(report_, NetworkReport{.state = state,
                                                  .looked = true,
                                                  .warnings = warnings_,
                                                  .foreign = foreign_told_,
                                                  .cluster = cluster_});
  }
  const bool other = text_of(before.state) != text_of(state);
  const bool same_cluster = std::equal(before.cluster.begin(), before.cluster.end(),
                                       cluster_.begin(), cluster_.end(), same_prefix);
  if (!other && before.warnings == warnings_ && same_cluster) return;
  if (other && !state.ok() && !state.is(Reason::kNotFound)) {
    if (const auto omitted = log_limit_.next()) {
      agent::kLog.warn("pod network is not complete",
                       {{"error", state.status()}, {"omitted", *omitted}});
    }
  }
  for (const std::string& warning : warnings_) {
    if (std::ranges::find(before.warnings, warning) != before.warnings.end()) continue;
    const auto omitted = log_limit_.next();
    if (!omitted) continue;
    agent::kLog.warn("pod network has a problem", {{"problem", warning}, {"omitted", *omitted}});
  }
  if (context_.news) context_.news();
}

// Nodes are written all the time; few of the changes matter here.
void NetworkAgent::node_changed(const client::Change& change) {
  {
    MutexLock lock(mutex_);
    if (change.after == nullptr) {
      if (facts_.erase(change.key.name) == 0) return;
    } else {
      NodeFacts facts = node_facts(*change.after);
      const auto found = facts_.find(change.key.name);
      if (found != facts_.end() && found->second == facts) return;
      facts_.insert_or_assign(change.key.name, std::move(facts));
    }
    dirty_ = true;
  }
  listener_->wake();
}

// Whether something has changed; false if the time is over.
bool NetworkAgent::wait(Steady until, const std::stop_token& stop) {
  const Relevance relevance(context_.options);
  bool changed = false;
  bool moved = false;
  const auto look = [&](const netlink::Message& message) -> Result<void> {
    changed = changed || relevance.concerns(message);
    moved = moved || Relevance::concerns_addresses(message);
    return {};
  };
  const std::array<int, 4> others = {rules_->descriptor(), forward_->descriptor(),
                                     neighbours_->descriptor(), configs_->descriptor()};
  const auto received = listener_->receive({.deadline = until, .stop = stop}, look, others);
  // Lost notifications may have been relevant ones.
  if (!received.ok()) changed = moved = true;
  if (moved && context_.news) context_.news();
  if (rules_->disturbed()) changed = true;
  if (forward_->disturbed()) changed = true;
  if (neighbours_->changed()) changed = true;
  if (configs_->changed()) changed = true;
  MutexLock lock(mutex_);
  return std::exchange(dirty_, false) || changed;
}

// More changes may be on their way: waits for silence, yet not for long. And others may undo what
// this does again and again: it works for a part of the time only.
void NetworkAgent::settle(Steady rested, const std::stop_token& stop) {
  const Steady latest = std::max(rested, context_.clock.steady() + agent::kMostSettle);
  const auto silence = [&] {
    return std::min(std::max(rested, context_.clock.steady() + agent::kSettle), latest);
  };
  Steady until = silence();
  while (!stop.stop_requested() && context_.clock.steady() < until) {
    if (wait(until, stop)) until = silence();
  }
}

void NetworkAgent::run(const std::stop_token& stop) {
  int failures = 0;
  Steady again = Steady::max();
  Steady rested = Steady::min();
  while (!stop.stop_requested()) {
    const bool work = wait(again, stop);
    if (work) settle(rested, stop);
    if (stop.stop_requested()) return;
    if (!work && context_.clock.steady() < again) continue;
    if (!work && failures == 0 && !ForwardRules::has_unreported()) {
      again = context_.clock.steady() + agent::kLookAgain;
      continue;
    }
    const Steady begin = context_.clock.steady();
    const Result<void> done = reconcile();
    set_state(done);
    const Steady now = context_.clock.steady();
    rested = now + std::min(agent::kRest * (now - begin), agent::kMostRest);
    if (done.ok() || done.is(Reason::kNotFound)) {
      failures = 0;
      again = now + agent::kLookAgain;
      continue;
    }
    ++failures;
    again = now + agent::kBackoff.after(failures, context_.random);
  }
}

Result<void> NetworkAgent::reconcile() {
  std::vector<NodeFacts> nodes;
  std::optional<NodeFacts> own;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, facts] : facts_) {
      if (name == context_.node.view()) own = facts;
      nodes.push_back(facts);
    }
  }
  if (!own || own->ranges.empty()) {
    return Status(Reason::kNotFound, "node " + context_.node.str() +
                                         " has no pod CIDR yet (spec.podCIDRs); does a controller "
                                         "manager with --cluster-cidr run?");
  }
  cluster_ = agent::cluster_of(nodes);
  return bring(*own, nodes);
}

Result<void> NetworkAgent::bring(const NodeFacts& own, const std::vector<NodeFacts>& nodes) {
  // Before it is read, so that no change falls between.
  if (const Result<bool> watched = configs_->watch(); !watched) {
    agent::kLog.warn("watching CNI configurations failed; changes are noticed late",
                     {{"error", watched.status()}});
  }
  const ForeignConfigs foreign = TRY(foreign_configs(context_.files, context_.cni_folder));
  warnings_.clear();
  if (!foreign.first.empty()) return give_way(foreign.first);
  foreign_told_ = false;
  const MachineFacts machine = TRY(kernel_->look(own, nodes));
  const NetworkPlan plan = make_plan(context_.options, own, nodes, machine);
  const bool new_ranges =
      !done_ || !std::equal(plan.ranges.begin(), plan.ranges.end(), done_->ranges.begin(),
                            done_->ranges.end(), same_prefix);
  if (new_ranges && context_.claim) TRY(context_.claim(plan.ranges));
  warnings_ = plan.warnings;
  for (const std::string& file : foreign.broken) {
    warnings_.push_back(
        fmt::format("{}/{} is no CNI configuration; remove it, since runtimes may "
                    "refuse to start pods because of it",
                    context_.cni_folder, file));
  }
  if (!plan.conflict.empty()) {
    if (new_ranges) return Status(Reason::kConflict, plan.conflict);
    // Pods run already.
    warnings_.push_back(plan.conflict);
  }
  tell(plan);
  TRY(enable_forwarding(plan.ranges));
  const Result<size_t> changes = kernel_->apply(plan);
  // Pods get their addresses even if another node cannot be reached.
  TRY(rules_->set({.from = plan.ranges, .except = plan.cluster},
                  agent::guard_of(plan, context_.options)));
  TRY(accept_forwarded(plan));
  if (!context_.cni_plugins.empty()) {
    TRY(check_plugins(context_.files, context_.cni_plugins));
  }
  TRY(write_cni(plan));
  TRY(watch_tunnel());
  if (!changes.ok()) {
    done_.reset();
    return changes.status();
  }
  if (*changes > 0) {
    agent::kLog.info("routes between pods changed",
                     {{"changes", *changes}, {"routes", plan.routes.size()}, {"mtu", plan.mtu}});
  }
  done_ = plan;
  return {};
}

// The network is the user's. Pods of ours that still run keep their bridge: it is all that they
// need once that file is gone again.
Result<void> NetworkAgent::give_way(const std::string& file) {
  if (!std::exchange(foreign_told_, true)) {
    agent::kLog.info("the pod network is left to the CNI configuration that was found",
                     {{"file", context_.cni_folder + "/" + file}});
  }
  done_.reset();
  TRY(remove_config(context_.files, context_.cni_folder));
  if (TRY(kernel_->bridge_in_use())) {
    warnings_.push_back(
        fmt::format("the pod network is left to the CNI configuration {}/{}; pods that were "
                    "started before are not reached from other nodes until they are started anew",
                    context_.cni_folder, file));
    TRY(kernel_->remove());
  } else {
    TRY(kernel_->remove_with_bridge());
  }
  TRY(forward_->remove());
  return rules_->remove();
}

// Pods run even if a firewall drops what they send.
Result<void> NetworkAgent::accept_forwarded(const NetworkPlan& plan) {
  const std::vector<std::string> found =
      TRY(forward_->set({.own = plan.ranges, .pods = plan.pods, .dns = context_.options.dns}));
  warnings_.insert(warnings_.end(), found.begin(), found.end());
  return {};
}

// What changed before it was watched is looked at again.
Result<void> NetworkAgent::watch_tunnel() {
  if (!TRY(neighbours_->watch(kernel_->tunnel()))) return {};
  MutexLock lock(mutex_);
  dirty_ = true;
  listener_->wake();
  return {};
}

Result<void> NetworkAgent::write_cni(const NetworkPlan& plan) {
  const bool changed = TRY(write_config(context_.files, context_.cni_folder,
                                        {.name = context_.options.bridge,
                                         .bridge = context_.options.bridge,
                                         .ranges = plan.ranges,
                                         .state = context_.cni_state,
                                         .mtu = plan.mtu}));
  if (changed && context_.changed) context_.changed();
  return {};
}

// Each problem once.
void NetworkAgent::tell(const NetworkPlan& plan) {
  for (const std::string& problem : plan.problems) {
    if (std::ranges::find(told_, problem) != told_.end()) continue;
    const auto omitted = log_limit_.next();
    if (!omitted) continue;
    agent::kLog.warn("no way to the pods of a node", {{"problem", problem}, {"omitted", *omitted}});
  }
  told_ = plan.problems;
}

}  // namespace proa::network
