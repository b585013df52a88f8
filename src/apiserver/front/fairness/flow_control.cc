#include "apiserver/front/fairness/flow_control.h"

#include <algorithm>

#include "base/text/seeded_hash.h"

// The way of a request. See flow_configuration.cc for what decides about it.

namespace proa::apiserver::fairness {
namespace flow_control {

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

int64_t whole_seconds(Steady time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace flow_control

FlowControl::FlowControl(store::Store& store, Clock& clock, int seats)
    : clock_(clock), seats_(seats), sampler_(store) {
  follower_ = std::make_shared<Follower>(
      store,
      std::vector<std::string>{"/registry/flowschemas/", "/registry/prioritylevelconfigurations/"},
      [this](std::string_view key, const api::ObjectPtr& object) { take(key, object); },
      [this] {
        MutexLock lock(mutex_);
        woken_ = true;
        changed_.notify_all();
      });
}

FlowControl::~FlowControl() { stop(); }

void FlowControl::run(WriteStatus write_status, WorkerPool& pool) {
  write_status_ = std::move(write_status);
  pool_ = &pool;
  MutexLock lock(mutex_);
  woken_ = true;
  thread_ = std::jthread([this] { work(); });
}

void FlowControl::stop() {
  std::shared_ptr<Follower> follower;
  std::vector<std::function<void(bool)>> dropped;  // destroyed without the lock
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    follower = std::move(follower_);
    for (const auto& [time, ticket] : due_) {
      if (ticket->decided_) dropped.push_back(std::move(ticket->decided_));
    }
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

FlowPtr FlowControl::flow_of(const Attributes& request) {
  const std::shared_ptr<const Schemas> schemas = current_schemas();
  for (const FlowPtr& flow : schemas->flows) {
    if (flow->schema.matches(request)) return flow;
  }
  return schemas->catch_all;
}

TicketPtr FlowControl::classify(const Question& question) {
  const Attributes& request = question.request;
  FlowPtr flow = flow_of(request);
  const int max_seats = [&] {
    MutexLock lock(mutex_);
    return flow->level->limits.max_seats;
  }();
  WorkEstimate estimate;
  int64_t watches = -1;
  switch (cost_kind(request, question.options)) {
    case CostKind::kFixed:
      break;
    case CostKind::kList: {
      std::optional<ObjectFigures> figures;
      if (question.resource != nullptr)
        figures = sampler_.figures(*question.resource, clock_.steady());
      estimate = estimate_list(request, question.options, figures, max_seats);
      break;
    }
    case CostKind::kChange:
      watches = watches_->interested_in(request);
      estimate = estimate_change(watches, max_seats);
      break;
  }
  const uint64_t hash = hash_flow(flow->hash, flow->schema.distinguish(request));
  auto ticket = std::make_shared<Ticket>(shared_from_this(), std::move(flow), estimate,
                                         RequestDetails(request, question.path));
  ticket->flow = hash;
  ticket->watch_ = request.is_resource && request.verb == "watch";
  ticket->watches_ = watches;
  return ticket;
}

bool FlowControl::has_many(const api::Resource& resource) {
  const auto figures = sampler_.figures(resource, clock_.steady());
  return figures && figures->more;
}

FlowControl::Decision FlowControl::start(Ticket& ticket, Duration patience) {
  const Steady now = clock_.steady();
  Calls calls;
  Decision decision = Decision::kExecutes;
  {
    MutexLock lock(mutex_);
    Level& level = *ticket.flow_->level;
    FlowMetrics& metrics = *ticket.flow_->metrics;
    metrics_.complete(metrics);
    metrics.seats->observe(ticket.estimated_.max_seats());
    if (ticket.watches_ >= 0) metrics.watches->observe(static_cast<double>(ticket.watches_));
    adjust_if_due(now, calls);
    release_due(level, now, calls);
    QueueSet::Dispatched dispatched;
    const QueueSet::Outcome outcome = level.queues.start(ticket, now, dispatched);
    note_dispatched(dispatched, &ticket, now, calls);
    note_blocked(level);
    switch (outcome) {
      case QueueSet::Outcome::kExecutes:
        break;
      case QueueSet::Outcome::kWaits:
        decision = Decision::kWaits;
        metrics.waiting_requests->add(1);
        metrics.waiting_seats->add(ticket.estimate.max_seats());
        ticket.due_ = due_.emplace(now + patience, &ticket);
        wake_for(now + patience);
        wake_for(next_adjustment_);
        if (const auto release = level.queues.next_release()) wake_for(*release);
        break;
      case QueueSet::Outcome::kQueueFull:
      case QueueSet::Outcome::kLimitReached:
        decision = Decision::kRejected;
        reject(ticket,
               outcome == QueueSet::Outcome::kQueueFull ? Rejection::kQueueFull
                                                        : Rejection::kLimitReached,
               now);
        break;
    }
    if (level.spec.queues.kind == QueueOptions::Kind::kQueue &&
        outcome != QueueSet::Outcome::kQueueFull) {
      metrics.queue_length->observe(static_cast<double>(level.queues.last_length()));
    }
  }
  call(calls);
  return decision;
}

FlowControl::Decision FlowControl::await(Ticket& ticket, std::function<void(bool)> decided) {
  MutexLock lock(mutex_);
  switch (ticket.state) {
    case Queued::State::kWaiting:
      if (!stopped_) ticket.decided_ = std::move(decided);
      return Decision::kWaits;
    case Queued::State::kExecuting:
      return Decision::kExecutes;
    case Queued::State::kNew:
    case Queued::State::kDone:
      break;
  }
  return Decision::kRejected;
}

void FlowControl::note_dispatched(const QueueSet::Dispatched& dispatched, const Ticket* own,
                                  Steady now, Calls& calls) {
  for (Queued* queued : dispatched) {
    Ticket& ticket = *static_cast<Ticket*>(queued);
    FlowMetrics& metrics = *ticket.flow_->metrics;
    metrics.dispatched->add();
    metrics.executing_requests->add(1);
    metrics.executing_seats->add(ticket.estimate.max_seats());
    if (!ticket.flow_->level->spec.exempt())
      metrics.waited_executed->observe(flow_control::seconds(now - ticket.arrived));
    if (&ticket == own) continue;
    metrics.waiting_requests->add(-1);
    metrics.waiting_seats->add(-ticket.estimated_.max_seats());
    forget_due(ticket);
    calls.emplace_back(std::exchange(ticket.decided_, nullptr), true);
  }
}

void FlowControl::note_blocked(const Level& level) {
  if (level.queues.blocked() == nullptr) return;
  static_cast<const Ticket*>(level.queues.blocked())->flow_->metrics->unaccommodated->add();
}

void FlowControl::forget_due(Ticket& ticket) {
  if (ticket.due_) due_.erase(*ticket.due_);
  ticket.due_.reset();
}

void FlowControl::reject(Ticket& ticket, Rejection why, Steady now) {
  FlowMetrics& metrics = *ticket.flow_->metrics;
  metrics_.count(metrics, why);
  metrics.waited_rejected->observe(flow_control::seconds(now - ticket.arrived));
  if (why != Rejection::kCancelled)
    ticket.flow_->level->retry_after.note(flow_control::whole_seconds(now));
}

int64_t FlowControl::retry_after(const Ticket& ticket) const {
  MutexLock lock(mutex_);
  return ticket.flow_->level->retry_after.seconds();
}

void FlowControl::release_due(Level& level, Steady now, Calls& calls) {
  const auto release = level.queues.next_release();
  if (!release || *release > now) return;
  QueueSet::Dispatched dispatched;
  level.queues.release(now, dispatched);
  note_dispatched(dispatched, nullptr, now, calls);
}

void FlowControl::leave(Ticket& ticket) {
  Calls calls;
  std::function<void(bool)> dropped;  // destroyed without the lock
  {
    MutexLock lock(mutex_);
    if (ticket.state != Queued::State::kWaiting && ticket.state != Queued::State::kExecuting)
      return;
    dropped = take_out(ticket, calls);
  }
  call(calls);
}

bool FlowControl::abandon(Ticket& ticket) {
  Calls calls;
  std::function<void(bool)> dropped;
  {
    MutexLock lock(mutex_);
    if (ticket.state != Queued::State::kWaiting) return false;
    dropped = take_out(ticket, calls);
  }
  call(calls);
  return true;
}

std::function<void(bool)> FlowControl::take_out(Ticket& ticket, Calls& calls) {
  const Steady now = clock_.steady();
  Level& level = *ticket.flow_->level;
  forget_due(ticket);
  note_left(ticket, now);
  QueueSet::Dispatched dispatched;
  if (ticket.state == Queued::State::kWaiting) {
    level.queues.give_up(ticket, false, now, dispatched);
    reject(ticket, Rejection::kCancelled, now);
  } else {
    level.queues.finish(ticket, now, dispatched);
  }
  note_dispatched(dispatched, nullptr, now, calls);
  note_blocked(level);
  const auto release = level.queues.next_release();
  if (release && level.queues.totals().waiting > 0) wake_for(*release);
  note_idle(level);
  return std::exchange(ticket.decided_, nullptr);
}

// The gauges of a ticket that is about to leave.
void FlowControl::note_left(Ticket& ticket, Steady now) {
  FlowMetrics& metrics = *ticket.flow_->metrics;
  if (ticket.state == Queued::State::kWaiting) {
    metrics.waiting_requests->add(-1);
    metrics.waiting_seats->add(-ticket.estimated_.max_seats());
    return;
  }
  metrics.executing_requests->add(-1);
  metrics.executing_seats->add(-ticket.estimate.max_seats());
  Histogram& executed = ticket.watch_ ? *metrics.executed_watch : *metrics.executed_regular;
  executed.observe(flow_control::seconds(now - ticket.started));
}

void FlowControl::free_seats_after(Ticket& ticket, Duration time) {
  MutexLock lock(mutex_);
  if (ticket.state != Queued::State::kExecuting || ticket.due_ || stopped_) return;
  const Steady due = clock_.steady() + time;
  ticket.due_ = due_.emplace(due, &ticket);
  wake_for(due);
}

void FlowControl::call(Calls& calls) {
  for (auto& [decided, executes] : calls) {
    if (decided) decided(executes);
  }
}

void FlowControl::wake_for(Steady time) {
  if (sleeps_until_ && *sleeps_until_ <= time) return;
  sleeps_until_ = time;
  changed_.notify_all();
}

std::optional<Steady> FlowControl::next_wake() const {
  std::optional<Steady> next;
  if (!writing_) next = write_again_;
  const auto consider = [&](Steady time) {
    if (!next || time < *next) next = time;
  };
  if (!due_.empty()) consider(due_.begin()->first);
  for (const auto& [name, level] : levels_) {
    if (level->queues.totals().waiting == 0) continue;
    consider(next_adjustment_);
    if (const auto release = level->queues.next_release()) consider(*release);
  }
  return next;
}

void FlowControl::work() {
  while (await_work()) {
    (void)current_schemas();
    do_due();
    write_statuses();
  }
}

bool FlowControl::await_work() {
  MutexLock lock(mutex_);
  while (!woken_ && !stopped_) {
    sleeps_until_ = next_wake();
    if (!sleeps_until_) {
      changed_.wait(mutex_);
    } else if (*sleeps_until_ <= clock_.steady()) {
      break;
    } else {
      clock_.wait_until(changed_, mutex_, *sleeps_until_);
    }
  }
  woken_ = false;
  return !stopped_;
}

void FlowControl::do_due() {
  Calls calls;
  {
    MutexLock lock(mutex_);
    const Steady now = clock_.steady();
    end_waits(now, calls);
    adjust_if_due(now, calls);
    for (const auto& [name, level] : levels_) release_due(*level, now, calls);
  }
  call(calls);
}

void FlowControl::end_waits(Steady now, Calls& calls) {
  while (!due_.empty() && due_.begin()->first <= now) {
    Ticket& ticket = *due_.begin()->second;
    QueueSet& queues = ticket.flow_->level->queues;
    forget_due(ticket);
    note_left(ticket, now);
    QueueSet::Dispatched dispatched;
    if (ticket.state == Queued::State::kWaiting) {
      calls.emplace_back(std::exchange(ticket.decided_, nullptr), false);
      queues.give_up(ticket, true, now, dispatched);
      reject(ticket, Rejection::kTimedOut, now);
    } else {
      queues.finish(ticket, now, dispatched);
    }
    note_dispatched(dispatched, nullptr, now, calls);
    note_idle(*ticket.flow_->level);
  }
}

void FlowControl::note_idle(const Level& level) {
  if (level.quiescing && level.queues.idle()) outdated_ = true;
}

}  // namespace proa::apiserver::fairness
