#include "store/etcd/health.h"

namespace proa::store::etcd {

StoreHealth Health::make() const {
  if (!cause_.empty()) return {.state = StoreHealth::State::kFailed, .cause = cause_};
  if (!full_) return {};
  return {.state = StoreHealth::State::kFull,
          .cause =
              "etcd has no space left: compact and defragment it, or raise its quota, then "
              "disarm its alarm",
          .disk_full = true};
}

StoreHealth Health::get() const {
  MutexLock lock(mutex_);
  return make();
}

void Health::set_followed(const std::optional<Status>& failure) {
  StoreHealth now;
  {
    MutexLock lock(mutex_);
    const bool same = cause_.empty() == !failure;
    cause_ = failure ? failure->message() : std::string();
    if (same) return;
    now = make();
  }
  if (changed_) changed_(now);
}

void Health::set_full(bool full) {
  StoreHealth now;
  {
    MutexLock lock(mutex_);
    if (full_ == full) return;
    full_ = full;
    now = make();
  }
  if (changed_) changed_(now);
}

bool Health::is_full() const {
  MutexLock lock(mutex_);
  return full_;
}

}  // namespace proa::store::etcd
