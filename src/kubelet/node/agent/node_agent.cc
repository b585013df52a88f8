#include "kubelet/node/agent/node_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "base/log.h"
#include "base/strings.h"
#include "client/informer/backoff.h"
#include "client/informer/informer.h"
#include "json/parse.h"
#include "kubelet/host/resolver_file.h"
#include "kubelet/model/reference.h"
#include "kubelet/node/agent/node_lease.h"
#include "kubelet/node/agent/node_object.h"
#include "kubelet/node/agent/node_observer.h"

namespace proa::kubelet {
namespace node_agent {

const Log kLog{"kubelet"};

// Upstream's nodeStatusUpdateFrequency and nodeStatusReportFrequency.
constexpr Duration kLookPeriod = std::chrono::seconds(10);
// While pods wait for the network: the runtime has no event for it. Often at first after news of
// the Node: it is ready moments after the Node got its ranges.
constexpr Duration kFirstNetworkPeriod = std::chrono::milliseconds(50);
constexpr Duration kNetworkPeriod = std::chrono::seconds(1);
constexpr Duration kReportPeriod = std::chrono::minutes(5);
// A node is registered at once, whatever its runtime does.
constexpr Duration kFirstPatience = std::chrono::seconds(1);
// Lets the Lease be renewed in time even when the runtime never answers.
constexpr Duration kPatience = std::chrono::seconds(5);
// As upstream waits between attempts to register.
constexpr client::Backoff kBackoff{
    .first = std::chrono::milliseconds(200), .most = std::chrono::seconds(7), .jitter = 0};

int64_t revision_of(const api::ObjectPtr& node) {
  return node == nullptr ? -1 : parse_int(node->metadata().resource_version).value_or(0);
}

PodFacts pod_facts(const api::NodeName& node_name, api::View status) {
  PodFacts facts{.node_name = node_name};
  for (const api::View address : status["addresses"].items()) {
    if (address["type"].text() != "InternalIP") continue;
    facts.host_addresses.emplace_back(address["address"].text());
  }
  const auto amount = [&](const char* resource) {
    const Result<api::Quantity> read = api::Quantity::parse(status["allocatable"][resource].text());
    return read ? *read : api::Quantity();
  };
  facts.allocatable_cpu = amount("cpu");
  facts.allocatable_memory = amount("memory");
  facts.allocatable_storage = amount("ephemeral-storage");
  return facts;
}

class Agent final : public NodeAgent {
 public:
  explicit Agent(Context context)
      : context_(std::move(context)),
        client_(context_.client, context_.clock, context_.shutdown),
        nodes_(*context_.schema.find_resource("", "v1", "nodes")),
        observer_({.clock = context_.clock,
                   .files = context_.files,
                   .runtime = context_.runtime,
                   .options = context_.options,
                   .kubelet_version = context_.version,
                   .system_root = context_.system_root,
                   .network = context_.network}),
        lease_(client_, *context_.schema.find_resource("coordination.k8s.io", "v1", "leases"),
               context_.clock, context_.random, context_.options.node_name,
               context_.options.lease_duration),
        followed_(context_.client, context_.clock, context_.random,
                  {.place = {.resource = &nodes_, .name_space = {}, .name = {}, .subresource = {}},
                   .labels = {},
                   .fields = "metadata.name=" + context_.options.node_name.str()}) {
    followed_.add_handler([this](const client::Change& change) {
      if (change.after != nullptr && keep(change.after)) refresh();
    });
  }
  ~Agent() override { stop(); }

  void start() override {
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void stop() override {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    followed_.stop();
  }

  void refresh() override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }

  api::ObjectPtr node() const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return node_;
  }
  PodFacts facts() const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return facts_;
  }
  Pressures pressures() const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return pressures_;
  }
  bool network_ready() const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return network_ready_;
  }
  bool mounts_recursively(const std::string& handler) const override EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return recursive_.contains(handler);
  }

 private:
  client::Place place(std::string_view subresource = {}) const {
    return {.resource = &nodes_,
            .name_space = {},
            .name = context_.options.node_name.str(),
            .subresource = std::string(subresource)};
  }

  void run(const std::stop_token& stop) {
    const std::stop_callback stopped(stop, [this] { refresh(); });
    tell({.reason = "Starting", .message = "Starting kubelet."});
    check_resolver_file();
    register_node(stop);
    if (stop.stop_requested()) return;
    followed_.start();
    open();
    Steady look_due = next_look();
    Steady lease_due = Steady::min();
    while (!stop.stop_requested()) {
      if (context_.clock.steady() >= lease_due) {
        lease_due = context_.clock.steady() + lease_.renew(api::UidView(node()->metadata().uid));
      }
      const bool woken = wait(std::min(look_due, lease_due));
      if (stop.stop_requested()) return;
      if (!woken && context_.clock.steady() < look_due) continue;
      network_period_ = woken ? kFirstNetworkPeriod : std::min(2 * network_period_, kNetworkPeriod);
      observe(woken, Until::after(context_.clock, kPatience, stop));
      const Result<void> written = report();
      if (!written) kLog.warn("node status update failed", {{"error", written.status()}});
      look_due = next_look();
    }
  }

  // Waits until refresh() is called, which returns true, or the time is over.
  bool wait(Steady until) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (!woken_ && context_.clock.steady() < until) {
      context_.clock.wait_until(changed_, mutex_, until);
    }
    return std::exchange(woken_, false);
  }

  void observe(bool all, const Until& until) EXCLUDES(mutex_) {
    observer_.look(all, until);
    bool opens = false;
    {
      MutexLock lock(mutex_);
      opens = !network_ready_ && observer_.network_ready();
      network_ready_ = observer_.network_ready();
      pressures_ = observer_.pressures();
      recursive_ = observer_.recursive_handlers();
    }
    if (opens) open();
  }

  void open() {
    if (context_.became_ready) context_.became_ready();
  }

  Steady next_look() const {
    return context_.clock.steady() + (observer_.network_ready() ? kLookPeriod : network_period_);
  }

  void register_node(const std::stop_token& stop) {
    for (int failures = 1; !stop.stop_requested(); ++failures) {
      observe(true, Until::after(context_.clock, kFirstPatience, stop));
      const Result<void> registered = try_register();
      if (registered) return;
      kLog.warn("node registration failed, retrying", {{"error", registered.status()}});
      const Steady again = context_.clock.steady() + kBackoff.after(failures, context_.random);
      while (!stop.stop_requested() && context_.clock.steady() < again) wait(again);
    }
  }

  // With the ranges of the options, else with those that its pods have already.
  Result<void> try_register() {
    const KubeletOptions& options = context_.options;
    const bool keeps = options.pod_cidrs.empty() && !options.former_pod_cidrs.empty();
    if (!keeps) return try_register_with(options.pod_cidrs);
    Result<void> kept = try_register_with(options.former_pod_cidrs);
    // Another node has them by now, or the cluster has other ranges.
    if (!kept.is(Reason::kForbidden) && !kept.is(Reason::kInvalid)) return kept;
    kLog.warn("the node cannot keep its pod ranges",
              {{"ranges", join(options.former_pod_cidrs, ",")}, {"error", kept.status()}});
    return try_register_with({});
  }

  Result<void> try_register_with(const std::vector<std::string>& ranges) {
    std::vector<NodeNews> news;
    const NodeFacts facts = observer_.facts();
    const json::Document status = make_node_status({}, facts, news);
    const std::string object = TRY(make_node(context_.options, ranges, status.root()));
    Result<api::ObjectPtr> created = client_.create(place(), json::parse_literal(object), {});
    if (created) {
      kLog.info("node registered", {{"node", context_.options.node_name.view()}});
      written(*created, status.root(), news, true);
      return {};
    }
    // A node that may not create its Node may still have one.
    const bool there = created.is(Reason::kAlreadyExists) || created.is(Reason::kForbidden);
    if (!there) return created.status();
    const Result<api::ObjectPtr> existing = client_.get(place());
    // Then the refusal is the cause, not that there is none.
    if (existing.is(Reason::kNotFound)) return created.status();
    if (!existing) return existing.status();
    TRY(bring(*existing, adopted_labels(context_.options), true));
    kLog.info("node already registered", {{"node", context_.options.node_name.view()}});
    return {};
  }

  // What was seen goes to the API, if it is news or it is time.
  Result<void> report() {
    const api::ObjectPtr node = this->node();
    const bool new_addresses = set_pod_cidr(*node);
    tell_schedulable(*node);
    const bool network_news = tell_network();
    const bool due = context_.clock.steady() >= report_due_;
    return bring(node, required_labels(), new_addresses || network_news || due);
  }

  // Writes the Node, if that is needed or `anyway`.
  Result<void> bring(const api::ObjectPtr& node, const NodeLabels& labels, bool anyway) {
    const json::Document before = TRY(node->document());
    std::vector<NodeNews> news;
    const json::Document status =
        make_node_status(api::View(before.root())["status"], observer_.facts(), news);
    const NodeChange change{.before = before.root(),
                            .status = status.root(),
                            .labels = labels,
                            .annotations = this->node() == nullptr
                                               ? initial_annotations(context_.options)
                                               : NodeLabels()};
    const bool needed = is_needed(change);
    if (!needed && !anyway) return {};
    const api::ObjectPtr after = TRY(client_.patch(place("status"), api::PatchType::kStrategic,
                                                   json::parse_literal(node_patch(change)), {}));
    written(after, status.root(), news, needed);
    return {};
  }

  void written(const api::ObjectPtr& node, api::View status, const std::vector<NodeNews>& news,
               bool changed) EXCLUDES(mutex_) {
    // After a change at a random time, so that nodes which changed together don't stay together.
    const Duration wait =
        changed ? kReportPeriod / 2 + Duration(static_cast<int64_t>(context_.random.below(
                                          static_cast<uint64_t>(kReportPeriod.count()))))
                : kReportPeriod;
    report_due_ = context_.clock.steady() + wait;
    keep(node);
    {
      MutexLock lock(mutex_);
      facts_ = pod_facts(context_.options.node_name, status);
    }
    for (const NodeNews& one : news) tell(one);
  }

  // Whether it is newer than what was known.
  bool keep(const api::ObjectPtr& node) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool other = node_ != nullptr && node_->metadata().uid != node->metadata().uid;
    if (!other && revision_of(node) <= revision_of(node_)) return false;
    node_ = node;
    return true;
  }

  // Returns whether the runtime got new addresses.
  bool set_pod_cidr(const api::Object& node) {
    const Result<json::Document> document = node.document();
    if (!document) return false;
    std::vector<std::string> ranges;
    for (const api::View range : api::View(document->root())["spec"]["podCIDRs"].items()) {
      ranges.emplace_back(range.text());
    }
    const std::string joined = join(ranges, ",");
    if (joined.empty() || joined == pod_cidr_) return false;
    const Result<void> set =
        context_.runtime.set_pod_cidr(joined, Until::after(context_.clock, kPatience));
    if (!set) {
      kLog.warn("runtime configuration update failed", {{"error", set.status()}});
      return true;
    }
    pod_cidr_ = joined;
    tell_other_ranges(joined);
    return true;
  }

  // Nobody sends packets to the addresses of former ranges, and pods keep theirs until they end.
  void tell_other_ranges(const std::string& ranges) {
    const std::string former = join(context_.options.former_pod_cidrs, ",");
    if (former.empty() || former == ranges) return;
    const auto pods = context_.runtime.sandboxes({}, Until::after(context_.clock, kPatience));
    if (pods && pods->empty()) return;
    kLog.warn("the node has other pod ranges than before",
              {{"ranges", ranges}, {"former", former}});
    tell({.warning = true,
          .reason = "PodRangeChanged",
          .message = fmt::format("the pod range of this node is {} now, and was {}: pods that were "
                                 "started before are not reachable; delete them",
                                 ranges, former)});
  }

  // Events about the pod network, each once until it is over. Returns whether something changed.
  bool tell_network() {
    const PodNetworkSeen& seen = observer_.network();
    std::vector<std::string> problems = seen.warnings;
    if (!seen.failure.empty() && !seen.expected) problems.push_back(seen.failure);
    if (problems == network_problems_) return false;
    for (const std::string& one : problems) {
      if (std::ranges::find(network_problems_, one) != network_problems_.end()) continue;
      tell({.warning = true, .reason = "PodNetworkProblem", .message = one});
    }
    network_problems_ = std::move(problems);
    return true;
  }

  void tell_schedulable(const api::Object& node) {
    const Result<json::Document> document = node.document();
    if (!document) return;
    const bool closed = api::View(document->root())["spec"]["unschedulable"].flag();
    if (closed == unschedulable_) return;
    unschedulable_ = closed;
    const std::string reason = closed ? "NodeNotSchedulable" : "NodeSchedulable";
    tell({.reason = reason,
          .message = "Node " + context_.options.node_name.str() + " status is now: " + reason});
  }

  void check_resolver_file() {
    const std::string& path = context_.options.resolv_conf;
    if (path.empty()) return;
    const auto problem =
        resolver_file_problem(context_.files, path, context_.options.cluster_domain);
    if (!problem) return;
    tell({.warning = true, .reason = "CheckLimitsForResolvConf", .message = *problem});
  }

  void tell(const NodeNews& news) {
    const client::ObjectReference about = reference_to_node(context_.options.node_name);
    if (news.warning) {
      context_.events.warning(about, news.reason, news.message);
    } else {
      context_.events.normal(about, news.reason, news.message);
    }
  }

  const Context context_;
  const client::BoundedClient client_;
  const api::Resource& nodes_;
  // Of the agent's thread.
  NodeObserver observer_;
  NodeLease lease_;
  Steady report_due_ = Steady::min();
  Duration network_period_ = kFirstNetworkPeriod;
  std::string pod_cidr_;
  bool unschedulable_ = false;
  std::vector<std::string> network_problems_;  // that Events were written about

  mutable Mutex mutex_;
  CondVar changed_;
  bool woken_ GUARDED_BY(mutex_) = false;
  api::ObjectPtr node_ GUARDED_BY(mutex_);
  PodFacts facts_ GUARDED_BY(mutex_);
  Pressures pressures_ GUARDED_BY(mutex_);
  bool network_ready_ GUARDED_BY(mutex_) = false;
  std::set<std::string> recursive_ GUARDED_BY(mutex_);  // handlers
  client::Informer followed_;
  std::jthread thread_;
};

}  // namespace node_agent

std::unique_ptr<NodeAgent> make_node_agent(NodeAgent::Context context) {
  return std::make_unique<node_agent::Agent>(std::move(context));
}

}  // namespace proa::kubelet
