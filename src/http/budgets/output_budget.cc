#include "http/budgets/output_budget.h"

#include <algorithm>
#include <utility>

namespace proa::http {

struct OutputLane::Charge {
  Charge(std::shared_ptr<OutputLane> of, const void* by, size_t bytes)
      : lane(std::move(of)), owner(by), size(bytes) {
    lane->budget_->bytes_ += size;
  }
  ~Charge() {
    lane->budget_->bytes_ -= size;
    lane->charges_.erase(owner);
  }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

  const std::shared_ptr<OutputLane> lane;
  const void* const owner;
  const size_t size;
};

namespace output_budget {

// Keeps the owner of the bytes alive, so that its address is not used again meanwhile.
struct Charged {
  Bytes bytes;
  std::shared_ptr<const void> charge;
};

}  // namespace output_budget

std::shared_ptr<OutputLane> OutputBudget::add_lane(
    std::function<void(std::function<void()>)> post) {
  auto lane = std::make_shared<OutputLane>(shared_from_this());
  lanes_.push_back({lane, std::move(post)});
  return lane;
}

size_t OutputBudget::excess() const {
  const size_t now = bytes();
  return now > limit_ ? now - limit_ : 0;
}

void OutputBudget::press_all() {
  if (pressing_.exchange(true)) return;
  for (const Other& other : lanes_) {
    other.post([weak = other.lane] {
      const auto lane = weak.lock();
      if (!lane) return;
      lane->budget_->pressing_ = false;
      lane->drop_excess(nullptr);
    });
  }
}

void OutputLane::Holder::leave() {
  if (!lane_) return;
  const auto lane = std::exchange(lane_, nullptr);
  lane->holders_.erase(place_);
  lane->budget_->bytes_ -= std::exchange(own_, 0);
}

void OutputLane::Holder::progressed() {
  if (lane_) lane_->holders_.splice(lane_->holders_.end(), lane_->holders_, place_);
}

void OutputLane::list(Holder& holder) {
  if (holder.lane_) return;
  holder.lane_ = shared_from_this();
  holder.place_ = holders_.insert(holders_.end(), &holder);
}

Bytes OutputLane::charge(Holder& holder, Bytes bytes) {
  const void* const owner = bytes.owner();
  if (owner == nullptr) return bytes;  // lives as long as the process
  std::weak_ptr<const Charge>& known = charges_[owner];
  std::shared_ptr<const Charge> charge = known.lock();
  const bool is_new = charge == nullptr;
  if (is_new) {
    charge = std::make_shared<const Charge>(shared_from_this(), owner, bytes.size());
    known = charge;
  }
  list(holder);
  const std::string_view view = bytes.view();
  Bytes charged(view, std::make_shared<const output_budget::Charged>(
                          output_budget::Charged{std::move(bytes), std::move(charge)}));
  if (is_new) keep_within(&holder);
  return charged;
}

void OutputLane::set_own(Holder& holder, size_t bytes) {
  if (bytes == 0) return holder.leave();
  list(holder);
  const bool more = bytes > holder.own_;
  budget_->bytes_ += bytes - holder.own_;  // wraps around when it shrinks, as unsigned numbers do
  holder.own_ = bytes;
  if (more) keep_within(&holder);
}

void OutputLane::keep_within(const Holder* spared) {
  if (budget_->excess() == 0) return;
  if (drop_excess(spared) > 0) budget_->press_all();
}

// What is dropped may be freed a moment later, so it is subtracted here.
size_t OutputLane::drop_excess(const Holder* spared) {
  size_t excess = budget_->excess();
  for (auto next = holders_.begin(); next != holders_.end() && excess > 0;) {
    Holder& holder = **next++;
    if (&holder == spared) continue;
    const size_t bytes = holder.unsent_bytes();
    excess -= std::min(excess, bytes);
    holder.leave();
    holder.drop_unsent();
  }
  return excess;
}

}  // namespace proa::http
