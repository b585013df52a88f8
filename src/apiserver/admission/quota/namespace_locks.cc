#include "apiserver/admission/quota/namespace_locks.h"

namespace proa::apiserver::quota {
namespace namespace_locks {

template <typename Lock>
std::shared_ptr<void> held(std::shared_ptr<Lock> lock) {
  return {lock.get(), [lock](void*) NO_THREAD_SAFETY_ANALYSIS { lock->mutex.unlock(); }};
}

}  // namespace namespace_locks

std::shared_ptr<void> NamespaceLocks::share(std::string_view name_space) {
  std::shared_ptr<Lock> lock = lock_of(name_space);
  lock->mutex.lock_shared();
  return namespace_locks::held(std::move(lock));
}

std::shared_ptr<void> NamespaceLocks::take(std::string_view name_space) {
  std::shared_ptr<Lock> lock = lock_of(name_space);
  lock->mutex.lock();
  return namespace_locks::held(std::move(lock));
}

size_t NamespaceLocks::size() const {
  MutexLock lock(mutex_);
  return locks_.size();
}

std::shared_ptr<NamespaceLocks::Lock> NamespaceLocks::lock_of(std::string_view name_space) {
  MutexLock lock(mutex_);
  const auto found = locks_.find(name_space);
  if (found != locks_.end()) {
    if (std::shared_ptr<Lock> known = found->second.lock()) return known;
  }
  std::string name(name_space);
  std::shared_ptr<Lock> made(new Lock, [this, name](Lock* gone) {
    delete gone;
    forget(name);
  });
  locks_.insert_or_assign(std::move(name), made);
  return made;
}

void NamespaceLocks::forget(const std::string& name_space) {
  MutexLock lock(mutex_);
  const auto found = locks_.find(name_space);
  // Somebody may have made a new one meanwhile.
  if (found != locks_.end() && found->second.expired()) locks_.erase(found);
}

}  // namespace proa::apiserver::quota
