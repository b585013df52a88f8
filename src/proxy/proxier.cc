#include "proxy/proxier.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/threads/guarded.h"
#include "client/informer/backoff.h"

namespace proa::proxy {
namespace proxier {

const Log kLog{"proxy"};
constexpr Family kFamilies[] = {Family::kV4, Family::kV6};
// Running programs costs more than sending messages: bursts are collected, as upstream does.
constexpr Duration kIptablesPeriod = std::chrono::seconds(1);
// As upstream's servers try again.
constexpr Duration kListenPeriod = std::chrono::seconds(5);
constexpr client::Backoff kBackoff{
    .first = std::chrono::milliseconds(100), .most = std::chrono::seconds(30), .jitter = 0.1};
constexpr client::Backoff kDisturbedBackoff{
    .first = std::chrono::milliseconds(100), .most = std::chrono::seconds(5), .jitter = 0.1};
// Others that change rules again within this time do so in a loop.
constexpr Duration kForgiven = std::chrono::seconds(10);
constexpr Duration kTellPeriod = std::chrono::seconds(10);

// As long as upstream's NodeManager waits.
constexpr Duration kNodePatience = std::chrono::seconds(30);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

int64_t unix_seconds(Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

client::ObjectReference reference(const char* kind, const client::Key& key, std::string uid) {
  return {.api_version = "v1",
          .kind = kind,
          .name_space = key.name_space,
          .name = key.name,
          .uid = std::move(uid),
          .resource_version = {},
          .field_path = {}};
}

}  // namespace proxier

Proxier::Proxier(Context context)
    : context_(std::move(context)),
      metrics_(context_.options.mode),
      health_(context_.clock),
      events_(context_.client, context_.clock, context_.pool,
              *context_.schema.find_resource("", "v1", "events"),
              {.component = "kube-proxy", .host = context_.options.node_name}),
      wakes_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      sources_({.client = context_.client,
                .schema = context_.schema,
                .clock = context_.clock,
                .random = context_.random,
                .metrics = metrics_,
                .node_name = context_.options.node_name,
                .wake =
                    [this] {
                      queued();
                      wake();
                    }}),
      claims_(context_.clock),
      servers_({.loops = context_.loops,
                .health = health_,
                .metrics = metrics_,
                .mode = context_.options.mode,
                .healthz = {.address = context_.options.healthz_address,
                            .port = context_.options.healthz_port,
                            .unix_path = {},
                            .both_families = true},
                .metrics_at = {.address = context_.options.metrics_address,
                               .port = context_.options.metrics_port,
                               .unix_path = {},
                               .both_families = true}}),
      service_health_(
          servers_.health_server(), health_,
          [this](const client::Key& key, uint16_t port, const Status& status) {
            const HealthPort at(key, port);
            busy_health_ports_.insert(at);
            if (!known_busy_health_ports_.contains(at)) {
              proxier::kLog.error("listening for health checks of a Service failed",
                                  {{"service", key.str()}, {"port", port}, {"error", status}});
            }
            events_.warning(
                proxier::reference("Service", key, {}), "FailedToStartServiceHealthcheck",
                fmt::format("node {} failed to start healthcheck \"{}\" on port {}: {}",
                            context_.options.node_name, key.str(), port, status.message()));
          }),
      poller_(context_.clock) {}

Proxier::~Proxier() { stop(); }

void Proxier::start() {
  for (const Family family : proxier::kFamilies) health_.updated(family);
  sources_.join(poller_);
  poller_.start();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  announce();
}

void Proxier::stop() {
  poller_.stop();
  thread_.request_stop();
  wake();
  if (thread_.joinable()) thread_.join();
}

Result<void> Proxier::health() const {
  if (health_.healthy()) return {};
  return Status(Reason::kServiceUnavailable, "rules of Services are behind");
}

// As upstream: about a Node whose uid is its name.
void Proxier::announce() {
  const std::string& node = context_.options.node_name;
  events_.normal(proxier::reference("Node", {.name_space = {}, .name = node}, node), "Starting",
                 "");
}

void Proxier::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Steady due = context_.clock.steady() + std::chrono::seconds(1);
    const Result<void> done = guarded([this, &due] { due = step(); });
    if (!done) proxier::kLog.error("writing rules failed", {{"error", done.status()}});
    if (!stop.stop_requested()) wait(due);
  }
}

void Proxier::wait(Steady due) const {
  pollfd files[] = {{.fd = wakes_.get(), .events = POLLIN, .revents = 0},
                    {.fd = context_.rules.descriptor(), .events = POLLIN, .revents = 0}};
  int timeout = -1;
  if (due != Steady::max()) {
    const Duration left = std::max(due - context_.clock.steady(), Duration(0));
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    timeout = static_cast<int>(std::min<int64_t>(milliseconds, 3'600'000));
  }
  ::poll(files, 2, timeout);
  eventfd_t count = 0;
  static_cast<void>(::eventfd_read(wakes_.get(), &count));
}

void Proxier::queued() {
  health_.queued();
  for (const Family family : proxier::kFamilies) {
    metrics_.of(family).last_queued.set(proxier::unix_seconds(context_.clock.now()));
  }
}

void Proxier::wake() const { static_cast<void>(::eventfd_write(wakes_.get(), 1)); }

Steady Proxier::step() {
  const Steady now = context_.clock.steady();
  if (now >= listen_due_) listen(now);
  if (!sources_.synced() || waits_for_node(now)) {
    read_reports();
    return std::min(listen_due_, node_due_);
  }
  check_rules();
  if (now < not_before_) return std::min({not_before_, listen_due_, check_due_});
  if (!read_news() && !whole_) {
    for (const Family family : proxier::kFamilies) health_.updated(family);
    return std::min(listen_due_, check_due_);
  }
  const bool whole = whole_;
  const Steady begin = context_.clock.steady();
  const Result<void> done = write();
  if (done.ok()) {
    written(begin, whole);
  } else {
    failed(done.status(), begin, whole);
  }
  changes_.clear();
  return std::min({whole_ ? not_before_ : Steady::max(), listen_due_, check_due_});
}

void Proxier::listen(Steady now) {
  holds_ports_ = servers_.listen();
  if (has_written_) remove_former();
  const bool done = holds_ports_ && !context_.remove_former;
  listen_due_ = done ? Steady::max() : now + proxier::kListenPeriod;
}

void Proxier::remove_former() {
  if (context_.remove_former && context_.remove_former(holds_ports_)) {
    context_.remove_former = nullptr;
  }
}

// Without a Node, node ports have no addresses: rules of a former process serve better meanwhile.
bool Proxier::waits_for_node(Steady now) {
  if (has_facts_) return false;
  const api::ObjectPtr node = sources_.node();
  if (node != nullptr && !proxy::read_node(*node).addresses.empty()) return false;
  if (node_due_ == Steady::max()) node_due_ = now + proxier::kNodePatience;
  if (now < node_due_) return true;
  proxier::kLog.error("the Node is missing or has no addresses; rules are written without it",
                      {{"node", context_.options.node_name}});
  return false;
}

// Unread, they would end each wait at once.
void Proxier::read_reports() {
  if (context_.rules.descriptor() >= 0 && context_.rules.disturbed()) whole_ = true;
}

void Proxier::check_rules() {
  const Duration period = context_.rules.check_period();
  const bool by_time = context_.rules.descriptor() < 0 && period != Duration::max();
  const Steady now = context_.clock.steady();
  if (whole_) return read_reports();
  if (by_time && now < check_due_) return;
  if (context_.rules.disturbed()) {
    whole_ = true;
    disturbed(now);
  }
  check_due_ = by_time ? now + period : Steady::max();
}

// Somebody may remove our rules in a loop: neither of us is to use up a processor or the log.
void Proxier::disturbed(Steady now) {
  if (now - last_disturbed_ > proxier::kForgiven) disturbances_ = 0;
  last_disturbed_ = now;
  if (disturbances_ > 0) {
    not_before_ = std::max(not_before_,
                           now + proxier::kDisturbedBackoff.after(disturbances_, context_.random));
  }
  ++disturbances_;
  ++untold_;
  silent_ = true;
  if (now < tell_due_) return;
  proxier::kLog.info("others changed our rules; they are written again", {{"times", untold_}});
  untold_ = 0;
  tell_due_ = now + proxier::kTellPeriod;
}

bool Proxier::read_node() {
  const api::ObjectPtr object = sources_.node();
  // A Node that somebody deleted is made again; its addresses stay what they were.
  if (object != nullptr || !has_facts_) {
    node_ = object == nullptr ? NodeState() : proxy::read_node(*object);
  }
  health_.set_eligible(object != nullptr && node_.eligible);
  NodeFacts facts = make_facts(context_.options, node_, own_addresses());
  facts.service_ranges = read_service_ranges(sources_.service_cidrs());
  if (has_facts_ && facts == facts_) return false;
  facts_ = std::move(facts);
  has_facts_ = true;
  whole_ = true;
  return true;
}

bool Proxier::read_news() {
  Sources::News news = sources_.take();
  const bool first = !has_facts_;
  if ((news.node || first) && read_node()) {
    // Endpoints are chosen by the node's zone.
    for (const client::Key& key : sources_.services()) news.services.insert(key);
  }
  for (const client::Key& key : news.services) {
    const api::ObjectPtr service = sources_.service(key);
    ServiceState state;
    if (service != nullptr) state = read_service(*service, sources_.slices_of(key), facts_);
    tracker_.update(key, std::move(state), changes_);
  }
  claims_.settle(changes_);
  return !news.services.empty();
}

std::vector<ServicePortPtr> Proxier::all_ports() const {
  std::vector<ServicePortPtr> ports = tracker_.all();
  for (ServicePortPtr& port : ports) port = claims_.settled(port);
  return ports;
}

Result<void> Proxier::write() {
  if (whole_) return context_.rules.replace(facts_, all_ports());
  if (changes_.empty()) return {};
  return context_.rules.apply(changes_);
}

void Proxier::written(Steady begin, bool whole) {
  const double took = proxier::seconds(context_.clock.steady() - begin);
  const Time now = context_.clock.now();
  for (const Family family : proxier::kFamilies) {
    ProxyMetrics::PerFamily& metrics = metrics_.of(family);
    metrics.sync.observe(took);
    (whole ? metrics.whole_sync : metrics.partial_sync).observe(took);
    metrics.last_sync.set(proxier::unix_seconds(now));
    // Of changes that began before we did, nobody knows how long they waited for us.
    for (const Time trigger : tracker_.take_triggers(family)) {
      if (!whole && trigger <= now) metrics.programming.observe(proxier::seconds(now - trigger));
    }
    health_.updated(family);
  }
  for (const TableRules& rules : context_.rules.counts()) {
    metrics_.count_rules(rules.family, rules.table, rules.total, rules.last);
  }
  if (whole && !silent_) {
    proxier::kLog.info("rules written", {{"ports", tracker_.size()}, {"seconds", took}});
  }
  silent_ = false;
  whole_ = false;
  failures_ = 0;
  not_before_ = context_.options.mode == Mode::kIptables
                    ? context_.clock.steady() + proxier::kIptablesPeriod
                    : Steady{};
  count_without_local(whole);
  known_busy_health_ports_ = std::exchange(busy_health_ports_, {});
  service_health_.set(tracker_.health(), facts_.all_node_port_addresses
                                             ? ServiceHealth::everywhere()
                                             : facts_.node_port_addresses);
  remove_stale_flows(whole);
  if (!std::exchange(has_written_, true)) remove_former();
}

void Proxier::failed(const Status& status, Steady begin, bool whole) {
  for (const Family family : proxier::kFamilies) {
    metrics_.of(family).failures.add();
    if (!whole) metrics_.of(family).partial_failures.add();
  }
  whole_ = true;
  // What takes long uses half of the time at most.
  const Steady now = context_.clock.steady();
  not_before_ = now + std::max(proxier::kBackoff.after(++failures_, context_.random), now - begin);
  proxier::kLog.error("writing rules failed; it is tried again", {{"error", status}});
}

void Proxier::remove_stale_flows(bool whole) {
  std::vector<ServicePortPtr> ports;
  if (whole) {
    ports = all_ports();
  } else {
    for (const Change& change : changes_) {
      if (change.after != nullptr) ports.push_back(change.after);
    }
  }
  for (const Family family : proxier::kFamilies) {
    const StaleFlows stale(family, ports);
    if (stale.empty()) continue;
    const Steady begin = context_.clock.steady();
    const Result<size_t> removed = context_.flows.remove(family, stale);
    metrics_.of(family).flows.observe(proxier::seconds(context_.clock.steady() - begin));
    if (removed.ok()) {
      metrics_.of(family).flows_removed.add(*removed);
    } else {
      proxier::kLog.error("removing stale flows failed", {{"error", removed.status()}});
    }
  }
}

void Proxier::count_without_local(bool whole) {
  const auto count = [this](const ServicePortPtr& port, int64_t by) {
    if (port == nullptr || !port->has_endpoints || !port->local_endpoints.empty()) return;
    ProxyMetrics::PerFamily& metrics = metrics_.of(port->family);
    if (port->internal_local) metrics.no_local_internal.add(by);
    if (port->external_local && port->externally_accessible()) metrics.no_local_external.add(by);
  };
  if (!whole) {
    for (const Change& change : changes_) {
      count(change.before, -1);
      count(change.after, 1);
    }
    return;
  }
  for (const Family family : proxier::kFamilies) {
    metrics_.of(family).no_local_internal.set(0);
    metrics_.of(family).no_local_external.set(0);
  }
  for (const ServicePortPtr& port : all_ports()) count(port, 1);
}

}  // namespace proa::proxy
