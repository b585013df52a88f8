#include "controllers/lifecycle/garbage/absent_owners.h"

namespace proa::controllers {

void AbsentOwners::add(const OwnerIdentity& owner, bool elsewhere) {
  MutexLock lock(mutex_);
  if (!owners_.emplace(owner, elsewhere).second) return;
  in_order_.push_back(owner);
  if (in_order_.size() <= capacity_) return;
  owners_.erase(in_order_.front());
  in_order_.pop_front();
}

std::optional<bool> AbsentOwners::find(const OwnerIdentity& owner) const {
  MutexLock lock(mutex_);
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return std::nullopt;
  return found->second;
}

}  // namespace proa::controllers
