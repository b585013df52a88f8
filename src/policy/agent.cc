#include "policy/agent.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/threads/guarded.h"
#include "client/informer/backoff.h"
#include "policy/apply/bridged_packets.h"
#include "policy/apply/waiting_packets.h"
#include "policy/model/dns_pod.h"
#include "policy/objects/read_facts.h"

namespace proa::policy {
namespace agent {

const Log kLog{"policy"};
constexpr client::Backoff kBackoff{
    .first = std::chrono::milliseconds(100), .most = std::chrono::seconds(30), .jitter = 0.1};
// Times as long as it took to write the rules.
constexpr int kDisturbedRest = 9;
constexpr Duration kMostDisturbedRest = std::chrono::seconds(2);
// Others that change rules again within this time do so in a loop.
constexpr Duration kForgiven = std::chrono::seconds(10);
// Without the kernel's module, for which modprobe runs.
constexpr Duration kBridgeRetry = std::chrono::minutes(10);

}  // namespace agent

PolicyAgent::PolicyAgent(Context context)
    : context_(std::move(context)),
      wakes_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      sources_({.client = context_.client,
                .schema = context_.schema,
                .clock = context_.clock,
                .random = context_.random,
                .wake = [this] { wake(); }}),
      flows_(context_.clock),
      poller_(context_.clock) {
  if (!context_.dns.empty()) model_.set_pod(dns_pod_key(), dns_pod(context_.dns));
}

PolicyAgent::~PolicyAgent() { stop(); }

Result<void> PolicyAgent::open() {
  rules_ = TRY(KernelRules::open(context_.table, context_.bridge, context_.clock));
  check_bridge();
  return {};
}

// Others switch it off: hypervisors, a sysctl.d that is read again.
void PolicyAgent::check_bridge() {
  const Steady now = context_.clock.steady();
  if (now < bridge_due_) return;
  const Result<void> bridged = filter_bridged_packets(context_.clock);
  bridge_due_ = now + (bridged.ok() ? context_.bridge_interval : agent::kBridgeRetry);
  if (!bridged.ok() && bridge_problem_ != bridged.status().message()) {
    agent::kLog.warn("packets on the bridge are not filtered", {{"error", bridged.status()}});
  }
  bridge_problem_ = bridged.ok() ? "" : bridged.status().message();
}

Result<void> PolicyAgent::start() {
  TRY(open());
  sources_.join(poller_);
  poller_.start();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  return {};
}

void PolicyAgent::stop() {
  poller_.stop();
  thread_.request_stop();
  wake();
  if (thread_.joinable()) thread_.join();
}

void PolicyAgent::wake() const { static_cast<void>(::eventfd_write(wakes_.get(), 1)); }

void PolicyAgent::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    Steady due = context_.clock.steady() + std::chrono::seconds(1);
    const Result<void> done = guarded([this, &due] { due = std::min(step(), bridge_due_); });
    if (!done) agent::kLog.error("writing rules failed", {{"error", done.status()}});
    if (!stop.stop_requested()) wait(due);
  }
}

void PolicyAgent::wait(Steady due) const {
  pollfd files[] = {{.fd = wakes_.get(), .events = POLLIN, .revents = 0},
                    {.fd = rules_->descriptor(), .events = POLLIN, .revents = 0}};
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

Steady PolicyAgent::step() {
  check_bridge();
  check_rules();
  // Rules of an earlier process stay until all is known that the new ones are made of.
  if (!sources_.synced()) return Steady::max();
  if (context_.clock.steady() < not_before_) return not_before_;
  const Steady begin = context_.clock.steady();
  read_news();
  const Result<void> written = write();
  if (!written.ok()) whole_ = true;
  const Result<void> done = written.ok() ? cut() : written;
  turns_.written(begin, context_.clock.steady());
  if (done.ok()) {
    tell_prepared();
    failures_ = 0;
    return put_off_until_;
  }
  not_before_ = context_.clock.steady() + agent::kBackoff.after(++failures_, context_.random);
  agent::kLog.error("enforcing NetworkPolicies failed; it is tried again",
                    {{"error", done.status()}});
  return not_before_;
}

void PolicyAgent::check_rules() {
  if (!rules_->disturbed() || whole_) return;
  whole_ = true;
  const Steady now = context_.clock.steady();
  if (now - last_disturbed_ > agent::kForgiven) disturbances_ = 0;
  last_disturbed_ = now;
  // Somebody may remove our rules in a loop: neither of us is to use up a processor or the log.
  if (disturbances_ > 0) {
    not_before_ = std::max(not_before_, now + std::min(agent::kDisturbedRest * written_in_,
                                                       agent::kMostDisturbedRest));
  } else {
    agent::kLog.info("others changed our rules; they are written again");
  }
  ++disturbances_;
}

void PolicyAgent::read_news() {
  Sources::News news = sources_.take();
  {
    MutexLock lock(mutex_);
    news.pods.merge(unread_);
    unread_.clear();
  }
  for (const client::Key& key : news.namespaces) {
    const api::ObjectPtr object = sources_.name_space(key);
    model_.set_namespace(key.name,
                         object == nullptr ? std::nullopt : std::optional(read_labels(*object)));
  }
  for (const client::Key& key : news.pods) read_pod(key);
  put_off_until_ = Steady::max();
  news.policies.merge(put_off_);
  put_off_.clear();
  for (const client::Key& key : news.policies) read_policy(key);
}

void PolicyAgent::read_pod(const client::Key& key) {
  const api::ObjectPtr object = sources_.pod(key);
  if (object == nullptr) {
    MutexLock lock(mutex_);
    // One that the API has not told yet is still waited for.
    const auto found = prepared_.find(key);
    if (found != prepared_.end() && found->second.in_force) prepared_.erase(found);
    return model_.set_pod(key, std::nullopt);
  }
  auto facts = policy::read_pod(*object, context_.node.view());
  if (!facts.ok()) {
    agent::kLog.error("a pod cannot be read", {{"pod", key.str()}, {"error", facts.status()}});
    return;
  }
  add_prepared(key, *object, *facts);
  model_.set_pod(key, std::move(*facts));
}

// The kubelet knows addresses before the API does, also those of another sandbox.
void PolicyAgent::add_prepared(const client::Key& key, const api::Object& object,
                               std::optional<PodFacts>& facts) {
  MutexLock lock(mutex_);
  const auto found = prepared_.find(key);
  if (found == prepared_.end() || object.metadata().uid != found->second.uid) return;
  facts = read_starting_pod(object, found->second.addresses);
  read_.push_back(key);
  taken_.insert(taken_.end(), found->second.addresses.begin(), found->second.addresses.end());
}

void PolicyAgent::tell_prepared() {
  if (read_.empty()) return;
  MutexLock lock(mutex_);
  for (const client::Key& key : std::exchange(read_, {})) {
    const auto found = prepared_.find(key);
    if (found != prepared_.end()) found->second.in_force = true;
  }
  told_.notify_all();
}

Result<void> PolicyAgent::prepare(const NewPod& pod, const Until& until) {
  const std::stop_callback stopped(until.stop, [this] {
    MutexLock lock(mutex_);
    told_.notify_all();
  });
  {
    MutexLock lock(mutex_);
    Prepared& known = prepared_[pod.key];
    const bool same = known.uid == pod.uid && known.addresses == pod.addresses;
    if (same && known.in_force) return {};
    known = {.uid = pod.uid, .addresses = pod.addresses};
    unread_.insert(pod.key);
  }
  wake();
  MutexLock lock(mutex_);
  while (true) {
    const auto found = prepared_.find(pod.key);
    // It ended, or another one took its name: nobody waits for this one.
    if (found == prepared_.end() || found->second.uid != pod.uid || found->second.in_force) {
      return {};
    }
    if (until.stop.stop_requested() || context_.clock.steady() >= until.deadline) {
      return Status(
          Reason::kTimeout,
          fmt::format("rules of NetworkPolicies for pod {} were not written in time{}",
                      pod.key.str(), sources_.synced() ? "" : ": the API has not told them yet"));
    }
    context_.clock.wait_until(told_, mutex_, until.deadline);
  }
}

void PolicyAgent::read_policy(const client::Key& key) {
  const api::ObjectPtr object = sources_.policy(key);
  if (object == nullptr) return model_.set_policy(key, std::nullopt);
  auto facts = policy::read_policy(*object);
  if (!facts.ok()) {
    // What it was before stays.
    agent::kLog.error("a NetworkPolicy cannot be read",
                      {{"policy", key.str()}, {"error", facts.status()}});
    return;
  }
  if (is_large(*facts)) {
    if (const auto until = turns_.take(key.name_space, context_.clock.steady())) {
      put_off_.insert(key);
      put_off_until_ = std::min(put_off_until_, *until);
      return;
    }
  }
  if (facts->too_large) {
    agent::kLog.error(
        "a NetworkPolicy is too large: it isolates its pods and allows nothing",
        {{"policy", key.str()}, {"selectors", kMostSelectors}, {"rules", kMostRules}});
  }
  model_.set_policy(key, std::move(*facts));
}

Result<void> PolicyAgent::write() {
  const ModelChange change = model_.take();
  if (uncut_) uncut_->merge(ends_of(change));
  if (whole_) {
    const Steady begin = context_.clock.steady();
    TRY(rules_->replace(model_));
    written_in_ = context_.clock.steady() - begin;
    whole_ = false;
    agent::kLog.info("rules of NetworkPolicies are written",
                     {{"pods", model_.local_addresses().size()}});
  } else if (!change.empty()) {
    TRY(rules_->apply(model_, change));
  }
  return {};
}

// What was let through before the rules.
Result<void> PolicyAgent::cut() {
  if (!taken_.empty() && !context_.bridge.empty()) {
    TRY(drop_waiting_packets(context_.bridge, taken_, context_.clock));
  }
  taken_.clear();
  if (uncut_ && uncut_->empty()) return {};
  const size_t removed = TRY(flows_.cut(model_, uncut_));
  uncut_.emplace();
  if (removed > 0) agent::kLog.info("forbidden connections are cut", {{"connections", removed}});
  return {};
}

}  // namespace proa::policy
