#include "controllers/framework/controller_set.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "client/informer/turn.h"

namespace proa::controllers {
namespace controller_set {

// As upstream's controllers wait before they try again.
constexpr client::Backoff kBackoff{
    .first = std::chrono::milliseconds(5), .most = std::chrono::seconds(1000), .jitter = 0.0};

std::string component_of(const ControllerEntry& entry) {
  return std::string(entry.component.empty() ? entry.account : entry.component);
}

}  // namespace controller_set

// In the order in which they need each other.
struct ControllerSet::Running {
  Running(const ControllerEntry& entry, const SharedContext& with, Informers& informers,
          const std::stop_token& stop)
      : client(with.client_for(entry.account)),
        events(*client, with.clock, with.pool, *with.schema.find_resource("", "v1", "events"),
               {.component = controller_set::component_of(entry), .host = {}}),
        controller(entry.make({.client = client::BoundedClient(*client, with.clock, stop),
                               .informers = informers,
                               .events = events,
                               .schema = with.schema,
                               .clock = with.clock,
                               .random = with.random,
                               .pool = with.pool,
                               .options = with.options})),
        queue(with.clock, with.random,
              {.backoff = controller_set::kBackoff, .max_running = controller->workers()}),
        runner(std::string(entry.name), *controller, queue, with.pool) {
    runner.on_work(turn.waker());  // until a Poller takes over
    controller->listen(queue);
  }

  size_t drain(size_t most) {
    turn.begin();
    const size_t count = runner.drain(most);
    turn.end(queue.next_due());
    return count;
  }
  Steady next_due() const { return turn.woken() ? queue.next_due() : turn.due(); }

  const std::unique_ptr<client::Client> client;
  client::EventRecorder events;
  const std::unique_ptr<Controller> controller;
  client::Turn turn;
  client::WorkQueue queue;
  client::Runner runner;
};

bool ControllerEntry::is_named(std::string_view word) const {
  constexpr std::string_view kEnding = "-controller";
  const auto means = [&](std::string_view known) {
    if (known.empty() || word.empty()) return false;
    return word == known ||
           (known.ends_with(kEnding) && word == known.substr(0, known.size() - kEnding.size()));
  };
  return means(name) || means(alias);
}

ControllerSet::ControllerSet(std::span<const ControllerEntry> entries, const SharedContext& shared)
    : shared_(shared),
      reader_(shared_.client_for("")),
      informers_(
          std::make_unique<Informers>(*reader_, shared_.schema, shared_.clock, shared_.random)),
      poller_(shared_.clock),
      custom_poller_(shared_.clock) {
  running_.reserve(entries.size());
  for (const ControllerEntry& entry : entries) {
    running_.push_back(std::make_unique<Running>(entry, shared_, *informers_, stop_.get_token()));
  }
}

ControllerSet::~ControllerSet() { stop(); }

bool ControllerSet::start(const Until& until) {
  informers_->join(poller_, custom_poller_);
  for (const std::unique_ptr<Running>& one : running_) poller_.add(one->runner);
  poller_.start();
  custom_poller_.start();
  if (!informers_->wait_synced(until)) return false;
  tell_filled();
  for (const std::unique_ptr<Running>& one : running_) one->runner.start();
  return true;
}

void ControllerSet::stop() {
  stop_.request_stop();
  poller_.stop();
  custom_poller_.stop();
  for (const std::unique_ptr<Running>& one : running_) one->queue.shut_down();
  for (const std::unique_ptr<Running>& one : running_) one->runner.stop();
  // Their handlers know the queues, so the informers go first.
  informers_.reset();
  running_.clear();
}

void ControllerSet::tell_filled() {
  if (std::exchange(filled_, true)) return;
  for (const std::unique_ptr<Running>& one : running_) one->controller->caches_filled();
}

size_t ControllerSet::step() {
  informers_->poll();
  if (!informers_->synced()) return 0;
  tell_filled();
  const Steady now = shared_.clock.steady();
  size_t worked = 0;
  for (const std::unique_ptr<Running>& one : running_) {
    if (one->turn.wanted(now)) worked += one->drain(std::numeric_limits<size_t>::max());
  }
  return worked;
}

void ControllerSet::step_some(Random& random) {
  informers_->poll_some(random);
  if (!informers_->synced()) return;
  tell_filled();
  // Most have nothing to do: the first one that has, from somewhere on.
  const Steady now = shared_.clock.steady();
  const size_t first = random.below(running_.size());
  for (size_t i = 0; i < running_.size(); ++i) {
    Running& one = *running_[(first + i) % running_.size()];
    if (one.turn.wanted(now) && one.drain(1) > 0) return;
  }
}

Steady ControllerSet::next_due() const {
  Steady due = Steady::max();
  for (const std::unique_ptr<Running>& one : running_) due = std::min(due, one->next_due());
  return due;
}

}  // namespace proa::controllers
