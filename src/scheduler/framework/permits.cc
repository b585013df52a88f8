#include "scheduler/framework/permits.h"

namespace proa::scheduler {

void Permits::allow(std::string_view uid) {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(std::string(uid));
  if (found == waiting_.end() || found->second.said) return;
  found->second.said = found->second.allowed = true;
  changed_.notify_all();
}

void Permits::reject(std::string_view uid, std::string reason) {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(std::string(uid));
  if (found == waiting_.end() || found->second.said) return;
  found->second.said = true;
  found->second.reason = std::move(reason);
  changed_.notify_all();
}

void Permits::begin(std::string_view uid) {
  const MutexLock lock(mutex_);
  waiting_[std::string(uid)] = {};
}

Result<void> Permits::wait(std::string_view uid, const Until& until) {
  const std::string key(uid);
  const std::stop_callback wake(until.stop, [this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  const MutexLock lock(mutex_);
  while (!waiting_[key].said && !until.stop.stop_requested() && clock_.steady() < until.deadline) {
    clock_.wait_until(changed_, mutex_, until.deadline);
  }
  const Word word = waiting_[key];
  waiting_.erase(key);
  if (word.allowed) return {};
  if (word.said) return Status(Reason::kForbidden, word.reason);
  return Status(Reason::kTimeout, "timed out waiting for Permit plugins");
}

}  // namespace proa::scheduler
