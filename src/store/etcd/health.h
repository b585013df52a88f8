#pragma once

#include <functional>
#include <string>

#include "base/threads/mutex.h"
#include "store/store.h"

namespace proa::store::etcd {

// Whether the store can be written, as the parts of it find out. Thread-safe.
class Health {
 public:
  explicit Health(std::function<void(const StoreHealth&)> changed) : changed_(std::move(changed)) {}

  StoreHealth get() const EXCLUDES(mutex_);
  // etcd is followed; nullopt, or why it is not.
  void set_followed(const std::optional<Status>& failure) EXCLUDES(mutex_);
  void set_full(bool full) EXCLUDES(mutex_);
  bool is_full() const EXCLUDES(mutex_);

 private:
  StoreHealth make() const REQUIRES(mutex_);

  const std::function<void(const StoreHealth&)> changed_;
  mutable Mutex mutex_;
  std::string cause_ GUARDED_BY(mutex_);  // empty: etcd is followed
  bool full_ GUARDED_BY(mutex_) = false;
};

}  // namespace proa::store::etcd
