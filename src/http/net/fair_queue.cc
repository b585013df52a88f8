#include "http/net/fair_queue.h"

#include "base/check.h"

namespace proa::http {

void FairQueue::add(std::string_view address, Waiter& waiter) {
  CHECK(!waiter.waiting());
  auto found = by_address_.find(address);
  if (found == by_address_.end()) {
    lines_.push_front({std::string(address), {}});
    found = by_address_.emplace(lines_.front().address, lines_.begin()).first;
  }
  waiter.queue_ = this;
  waiter.line_ = found->second;
  waiter.line_->waiters.push_front(&waiter);
  waiter.place_ = waiter.line_->waiters.begin();
}

void FairQueue::Waiter::leave() {
  if (!waiting()) return;
  line_->waiters.erase(place_);
  if (line_->waiters.empty()) {
    queue_->by_address_.erase(line_->address);
    queue_->lines_.erase(line_);
  }
  queue_ = nullptr;
}

void FairQueue::call_next() {
  CHECK(!empty());
  const auto line = lines_.begin();
  lines_.splice(lines_.end(), lines_, line);
  Waiter& waiter = *line->waiters.front();
  waiter.leave();
  const auto turn = waiter.turn_;  // the waiter may be destroyed during its turn
  turn();
}

}  // namespace proa::http
