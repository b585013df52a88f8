#include "apiserver/front/fairness/queues/queue_set.h"

#include <algorithm>

#include "base/check.h"

namespace proa::apiserver::fairness {
namespace queue_set {

// What a request is expected to take until it is known, as upstream.
constexpr Duration kEstimatedService = std::chrono::milliseconds(3);
// R goes back by half of what fits before it overflows.
constexpr SeatSeconds kSetBack = SeatSeconds::raw(int64_t{1} << 61);
constexpr SeatSeconds kHighest = SeatSeconds::raw(int64_t{3} << 60);
constexpr SeatSeconds kMost = SeatSeconds::raw(INT64_MAX);

SeatSeconds work_of(const WorkEstimate& estimate) {
  return SeatSeconds::of(estimate.initial_seats, kEstimatedService) +
         SeatSeconds::of(estimate.final_seats, estimate.additional_latency);
}

}  // namespace queue_set

Result<void> QueueSet::configure(const QueueOptions& options, int limit, Steady now,
                                 Dispatched& dispatched) {
  if (options.kind == QueueOptions::Kind::kQueue) {
    if (!dealer_ || !(options == options_))
      dealer_ = TRY(Dealer::make(options.queues, options.hand_size));
  }
  options_ = options;
  set_limit(limit, now, dispatched);
  return {};
}

void QueueSet::set_limit(int limit, Steady now, Dispatched& dispatched) {
  free_due_seats(now);
  advance(now);
  limit_ = limit;
  dispatch_all(now, dispatched);
}

// Virtual time passes by what each active queue got on average. Upstream counts the seats that it
// could have got: wide requests, for which not all seats can be used, then let R run ahead of all
// queues, until greed pays.
void QueueSet::advance(Steady now) {
  if (now <= last_) return;
  const Duration passed = now - last_;
  last_ = now;
  if (active_queues_ == 0) return;
  r_ += SeatSeconds::of(static_cast<double>(queued_seats_) / active_queues_, passed);
  if (r_ >= queue_set::kHighest) set_back();
}

void QueueSet::set_back() {
  r_ -= queue_set::kSetBack;
  ++totals_.epochs;
  for (auto& [index, queue] : queues_) {
    if (!queue.active()) continue;  // starts at R with its next request
    queue.next_dispatch_r -= queue_set::kSetBack;
    for (Queued* request : queue.waiting) request->arrival_r -= queue_set::kSetBack;
  }
}

QueueSet::Outcome QueueSet::start(Queued& request, Steady now, Dispatched& dispatched) {
  CHECK(request.state == Queued::State::kNew);
  release(now, dispatched);
  request.work = queue_set::work_of(request.estimate);
  request.arrived = now;
  request.arrival_r = r_;
  if (options_.kind != QueueOptions::Kind::kQueue) {
    if (!has_room(request.estimate.max_seats())) {
      ++totals_.rejected;
      request.state = Queued::State::kDone;
      return Outcome::kLimitReached;
    }
    request.place = executing_.insert(executing_.end(), &request);
    execute(request, now);
    dispatched.push_back(&request);
    return Outcome::kExecutes;
  }
  request.queue = choose_queue(request.flow);
  const Queue* const chosen = find_queue(request.queue);
  const size_t length = chosen == nullptr ? 0 : chosen->waiting.size();
  // Other than upstream, also while free seats do not suffice for who is next: queues would grow
  // without bound meanwhile.
  const bool full = totals_.seats_in_use >= limit_ || blocked_ != nullptr;
  if (full && length >= static_cast<size_t>(options_.queue_length_limit)) {
    ++totals_.rejected;
    request.state = Queued::State::kDone;
    return Outcome::kQueueFull;
  }
  enqueue(request, now);
  bound_start(queue_of(request));
  dispatch_all(now, dispatched);
  return request.state == Queued::State::kExecuting ? Outcome::kExecutes : Outcome::kWaits;
}

const QueueSet::Queue* QueueSet::find_queue(int index) const {
  const auto found = queues_.find(index);
  return found == queues_.end() ? nullptr : &found->second;
}

// The queue of the flow's hand with the least work. The first one changes from request to request:
// flows that share some queues do not all prefer the same.
int QueueSet::choose_queue(uint64_t flow) {
  const Dealer::Hand hand = dealer_->deal(flow);
  const auto size = static_cast<size_t>(hand.size);
  const size_t first = enqueued_++ % size;
  int best = -1;
  SeatSeconds least = queue_set::kMost;
  for (size_t i = 0; i < size; ++i) {
    const int index = hand.cards[(first + i) % size];
    const Queue* const queue = find_queue(index);
    const SeatSeconds work = queue == nullptr ? SeatSeconds() : queue->waiting_work;
    if (best >= 0 && work >= least) continue;
    best = index;
    least = work;
  }
  return best;
}

void QueueSet::enqueue(Queued& request, Steady now) {
  Queue& queue = queues_[request.queue];
  const bool was_active = queue.active();
  if (!was_active) queue.next_dispatch_r = r_;
  request.place = queue.waiting.insert(queue.waiting.end(), &request);
  request.state = Queued::State::kWaiting;
  const int seats = request.estimate.max_seats();
  queue.waiting_initial_seats += request.estimate.initial_seats;
  queue.waiting_max_seats += seats;
  queue.waiting_work += request.work;
  totals_.waiting += 1;
  totals_.seats_waiting += seats;
  last_length_ = queue.waiting.size();
  note_activity(request.queue, was_active);
  update_demand(now);
}

// The place stays valid: the caller moves or erases it.
void QueueSet::leave_queue(Queued& request) {
  Queue& queue = queue_of(request);
  const int seats = request.estimate.max_seats();
  queue.waiting_initial_seats -= request.estimate.initial_seats;
  queue.waiting_max_seats -= seats;
  queue.waiting_work -= request.work;
  totals_.waiting -= 1;
  totals_.seats_waiting -= seats;
}

void QueueSet::execute(Queued& request, Steady now) {
  request.state = Queued::State::kExecuting;
  request.started = now;
  totals_.executing += 1;
  totals_.dispatched += 1;
  totals_.seats_in_use += request.estimate.max_seats();
  update_demand(now);
}

bool QueueSet::has_room(int seats) const {
  if (options_.kind == QueueOptions::Kind::kExempt) return true;
  // As upstream: what needs more than there is has all of it for itself.
  if (seats > limit_) return totals_.executing == 0;
  return totals_.seats_in_use + seats <= limit_;
}

void QueueSet::dispatch_all(Steady now, Dispatched& dispatched) {
  blocked_ = nullptr;
  while (totals_.waiting != 0 && totals_.seats_in_use < limit_) {
    Queued* const next = find_next();
    if (next == nullptr) return;
    Queue& queue = queue_of(*next);
    leave_queue(*next);
    queue.executing.splice(queue.executing.end(), queue.waiting, next->place);
    // What is left of the final work is spread over the seats that there are.
    if (next->estimate.final_seats > limit_) {
      WorkEstimate& estimate = next->estimate;
      const SeatSeconds work = SeatSeconds::of(estimate.final_seats, estimate.additional_latency);
      estimate.final_seats = limit_;
      estimate.additional_latency = work.per_seat(limit_);
    }
    execute(*next, now);
    const int seats = next->estimate.max_seats();
    queue.seats_in_use += seats;
    queued_seats_ += seats;
    queue.next_dispatch_r += next->work;
    bound_start(queue);
    note_activity(next->queue, true);
    dispatched.push_back(next);
  }
}

// The request with the earliest virtual end; null if there is no room for it. Of several, that of
// the queue which comes first after the one of the last dispatch.
Queued* QueueSet::find_next() {
  Queued* best = nullptr;
  SeatSeconds earliest = queue_set::kMost;
  DispatchFigures figures{.r = r_,
                          .start = {},
                          .least = queue_set::kMost,
                          .most = {},
                          .least_discounted = queue_set::kMost,
                          .most_discounted = {}};
  const auto look = [&](const Queue& queue) {
    const SeatSeconds start = queue.next_dispatch_r;
    const SeatSeconds discounted =
        start - SeatSeconds::of(queue.seats_in_use, queue_set::kEstimatedService);
    figures.least = std::min(figures.least, start);
    figures.most = std::max(figures.most, start);
    figures.least_discounted = std::min(figures.least_discounted, discounted);
    figures.most_discounted = std::max(figures.most_discounted, discounted);
    Queued* const oldest = queue.waiting.front();
    if (best != nullptr && start + oldest->work >= earliest) return;
    best = oldest;
    earliest = start + oldest->work;
    figures.start = start;
  };
  const auto first = nonempty_.upper_bound(robin_);
  for (auto next = first; next != nonempty_.end(); ++next) look(*next->second);
  for (auto next = nonempty_.begin(); next != first; ++next) look(*next->second);
  CHECK(best != nullptr);
  if (!has_room(best->estimate.max_seats())) {
    blocked_ = best;
    return nullptr;
  }
  robin_ = best->queue;
  figures_ = figures;
  return best;
}

// Virtually, nothing starts before it arrived: a queue that could not use its share is not ahead of
// the others for that.
void QueueSet::bound_start(Queue& queue) const {
  if (queue.waiting.empty()) return;
  queue.next_dispatch_r = std::max(queue.next_dispatch_r, queue.waiting.front()->arrival_r);
}

void QueueSet::finish(Queued& request, Steady now, Dispatched& dispatched) {
  CHECK(request.state == Queued::State::kExecuting);
  free_due_seats(now);
  advance(now);
  request.state = Queued::State::kDone;
  totals_.executing -= 1;
  if (request.queue < 0) {
    executing_.erase(request.place);
  } else {
    Queue& queue = queue_of(request);
    queue.executing.erase(request.place);
    // The queue paid for an estimate; now it is known.
    queue.next_dispatch_r -= SeatSeconds::of(
        request.estimate.initial_seats, queue_set::kEstimatedService - (now - request.started));
    bound_start(queue);
    note_activity(request.queue, true);
  }
  const int seats = request.estimate.max_seats();
  if (request.estimate.additional_latency > Duration::zero()) {
    lingering_.emplace(now + request.estimate.additional_latency, std::pair(seats, request.queue));
  } else {
    free_seats(seats, request.queue);
    update_demand(now);
  }
  dispatch_all(now, dispatched);
}

void QueueSet::free_seats(int seats, int queue) {
  totals_.seats_in_use -= seats;
  if (queue < 0) return;
  queues_.at(queue).seats_in_use -= seats;
  queued_seats_ -= seats;
  drop_if_unused(queue);
}

void QueueSet::give_up(Queued& request, bool timed_out, Steady now, Dispatched& dispatched) {
  CHECK(request.state == Queued::State::kWaiting);
  free_due_seats(now);
  advance(now);
  Queue& queue = queue_of(request);
  leave_queue(request);
  queue.waiting.erase(request.place);
  request.state = Queued::State::kDone;
  bound_start(queue);
  note_activity(request.queue, true);
  drop_if_unused(request.queue);
  totals_.rejected += 1;
  (timed_out ? totals_.timed_out : totals_.cancelled) += 1;
  update_demand(now);
  // The one behind it may need fewer seats.
  dispatch_all(now, dispatched);
}

std::optional<Steady> QueueSet::next_release() const {
  if (lingering_.empty()) return std::nullopt;
  return lingering_.begin()->first;
}

void QueueSet::release(Steady now, Dispatched& dispatched) {
  const bool freed = free_due_seats(now);
  advance(now);
  if (freed) dispatch_all(now, dispatched);
}

// Each at its time, however late that is noticed: R and the demand count no seat for longer.
bool QueueSet::free_due_seats(Steady now) {
  bool freed = false;
  while (!lingering_.empty() && lingering_.begin()->first <= now) {
    const Steady due = lingering_.begin()->first;
    const auto [seats, queue] = lingering_.begin()->second;
    lingering_.erase(lingering_.begin());
    advance(due);
    free_seats(seats, queue);
    update_demand(due);
    freed = true;
  }
  return freed;
}

void QueueSet::note_activity(int index, bool was_active) {
  Queue& changed = queues_.at(index);
  if (changed.waiting.empty()) {
    nonempty_.erase(index);
  } else {
    nonempty_.emplace(index, &changed);
  }
  active_queues_ += (changed.active() ? 1 : 0) - (was_active ? 1 : 0);
}

void QueueSet::drop_if_unused(int index) {
  const auto queue = queues_.find(index);
  if (!queue->second.active() && queue->second.seats_in_use == 0) queues_.erase(queue);
}

void QueueSet::update_demand(Steady now) {
  demand_.set(totals_.seats_in_use + totals_.seats_waiting, now);
}

}  // namespace proa::apiserver::fairness
