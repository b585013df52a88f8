#include "http/budgets/connection_count.h"

namespace proa::http {

void ConnectionCount::Place::left_server() {
  if (!std::exchange(served_, false)) return;
  MutexLock lock(count_->mutex_);
  count_->served_less();
}

ConnectionCount::Arrival ConnectionCount::add(const std::string& address) {
  Crowd crowd = Crowd::kNone;
  {
    MutexLock lock(mutex_);
    if (total_ >= most_ + spare_connections(most_)) return {nullptr, Crowd::kServer};
    if (total_ >= most_) crowd = Crowd::kServer;
    if (!address.empty()) {
      size_t& count = by_address_[address];
      if (count >= most_per_address_ + spare_connections(most_per_address_)) {
        return {nullptr, Crowd::kAddress};
      }
      if (count >= most_per_address_) crowd = Crowd::kAddress;
      ++count;
    }
    ++total_;
    ++served_;
  }
  return {std::make_shared<Place>(shared_from_this(), address), crowd};
}

void ConnectionCount::remove(const std::string& address, bool served) {
  MutexLock lock(mutex_);
  --total_;
  if (served) served_less();
  const auto found = by_address_.find(address);
  if (found != by_address_.end() && --found->second == 0) by_address_.erase(found);
}

void ConnectionCount::served_less() {
  if (--served_ == 0) changed_.notify_all();
}

bool ConnectionCount::is_full() const {
  MutexLock lock(mutex_);
  return total_ >= most_;
}

size_t ConnectionCount::of_address(const std::string& address) const {
  MutexLock lock(mutex_);
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? 0 : found->second;
}

size_t ConnectionCount::served() const {
  MutexLock lock(mutex_);
  return served_;
}

bool ConnectionCount::wait_for_none(Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mutex_);
  while (served_ > 0 && std::chrono::steady_clock::now() < deadline)
    changed_.wait_until(mutex_, deadline);
  return served_ == 0;
}

}  // namespace proa::http
