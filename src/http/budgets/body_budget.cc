#include "http/budgets/body_budget.h"

namespace proa::http {
namespace body_budget {

// Nearly all objects are smaller.
constexpr size_t kSmall = 64 * 1024;

// What large bodies may use of a limit.
size_t within(size_t limit, size_t size) { return size <= kSmall ? limit : limit / 4 * 3; }

}  // namespace body_budget

bool BodyBudget::fits(const Holder& holder, size_t bytes, size_t size) const {
  using body_budget::within;
  if (used_ + bytes > within(limits_.total, size)) return false;
  if (holder.connection->used + bytes > within(limits_.per_connection, size)) return false;
  if (holder.payer.empty()) return true;
  const auto payer = by_payer_.find(holder.payer);
  const size_t paid = payer == by_payer_.end() ? 0 : payer->second;
  return paid + bytes <= within(limits_.per_payer, size);
}

void BodyBudget::add(const Holder& holder, size_t bytes) {
  used_ += bytes;
  holder.connection->used += bytes;
  if (!holder.payer.empty()) by_payer_[holder.payer] += bytes;
}

bool BodyBudget::is_full() {
  if (queue_.size() < limits_.waiting) return false;
  std::erase_if(queue_, [](const Waiter& waiter) { return waiter.granted.expired(); });
  return queue_.size() >= limits_.waiting;
}

BodyBudget::Answer BodyBudget::take(const Holder& holder, size_t bytes, Granted granted) {
  MutexLock lock(mutex_);
  // Those that wait could not use it.
  if (fits(holder, bytes, bytes)) {
    add(holder, bytes);
    return {std::make_shared<Share>(shared_from_this(), holder, bytes), nullptr};
  }
  if (is_full()) return {};
  auto waiting = std::make_shared<const Granted>(std::move(granted));
  queue_.push_back({holder, bytes, waiting});
  return {nullptr, std::move(waiting)};
}

bool BodyBudget::Share::grow(size_t bytes) {
  if (!budget_->grow(holder_, bytes, bytes_ + bytes)) return false;
  bytes_ += bytes;
  return true;
}

bool BodyBudget::grow(const Holder& holder, size_t bytes, size_t size) {
  MutexLock lock(mutex_);
  if (!fits(holder, bytes, size)) return false;
  add(holder, bytes);
  return true;
}

void BodyBudget::give_back(const Holder& holder, size_t bytes) {
  Grants grants;
  {
    MutexLock lock(mutex_);
    used_ -= bytes;
    holder.connection->used -= bytes;
    if (!holder.payer.empty()) {
      const auto payer = by_payer_.find(holder.payer);
      if ((payer->second -= bytes) == 0) by_payer_.erase(payer);
    }
    if (!queue_.empty()) grants = grant();
  }
  for (const auto& [granted, share] : grants) (*granted)(share);
}

// Those who gave up are dropped on the way.
BodyBudget::Grants BodyBudget::grant() {
  Grants grants;
  for (auto waiter = queue_.begin(); waiter != queue_.end();) {
    auto granted = waiter->granted.lock();
    const bool fit = granted && fits(waiter->holder, waiter->bytes, waiter->bytes);
    if (granted && !fit) {
      ++waiter;
      continue;
    }
    if (fit) {
      add(waiter->holder, waiter->bytes);
      grants.emplace_back(
          std::move(granted),
          std::make_shared<Share>(shared_from_this(), std::move(waiter->holder), waiter->bytes));
    }
    waiter = queue_.erase(waiter);
  }
  return grants;
}

size_t BodyBudget::used() const {
  MutexLock lock(mutex_);
  return used_;
}

}  // namespace proa::http
