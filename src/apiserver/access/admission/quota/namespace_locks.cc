#include "apiserver/access/admission/quota/namespace_locks.h"

namespace proa::apiserver::quota {

std::shared_ptr<void> NamespaceLocks::share(std::string_view name_space) {
  const Locks::iterator place = enter(name_space);
  place->second.mutex.lock_shared();
  return held(place);
}

std::shared_ptr<void> NamespaceLocks::take(std::string_view name_space) {
  const Locks::iterator place = enter(name_space);
  place->second.mutex.lock();
  return held(place);
}

size_t NamespaceLocks::size() const {
  MutexLock lock(mutex_);
  return locks_.size();
}

NamespaceLocks::Locks::iterator NamespaceLocks::enter(std::string_view name_space) {
  MutexLock lock(mutex_);
  auto place = locks_.find(name_space);
  if (place == locks_.end()) place = locks_.try_emplace(std::string(name_space)).first;
  ++place->second.users;
  return place;
}

void NamespaceLocks::leave(Locks::iterator place) {
  MutexLock lock(mutex_);
  if (--place->second.users == 0) locks_.erase(place);
}

std::shared_ptr<void> NamespaceLocks::held(Locks::iterator place) {
  return {&place->second, [this, place](void*) NO_THREAD_SAFETY_ANALYSIS {
            place->second.mutex.unlock();
            leave(place);
          }};
}

}  // namespace proa::apiserver::quota
