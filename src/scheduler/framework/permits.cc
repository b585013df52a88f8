#include "scheduler/framework/permits.h"

namespace proa::scheduler {

void Permits::allow(api::UidView uid) {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(api::Uid(uid));
  if (found == waiting_.end() || found->second.made) return;
  found->second.made = found->second.allowed = true;
  changed_.notify_all();
}

void Permits::reject(api::UidView uid, std::string reason) {
  const MutexLock lock(mutex_);
  const auto found = waiting_.find(api::Uid(uid));
  if (found == waiting_.end() || found->second.made) return;
  found->second.made = true;
  found->second.reason = std::move(reason);
  changed_.notify_all();
}

void Permits::begin(api::UidView uid) {
  const MutexLock lock(mutex_);
  waiting_[api::Uid(uid)] = {};
}

Result<void> Permits::wait(api::UidView uid, const Until& until) {
  const api::Uid key(uid);
  const std::stop_callback wake(until.stop, [this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  const MutexLock lock(mutex_);
  while (!waiting_[key].made && !until.stop.stop_requested() && clock_.steady() < until.deadline) {
    clock_.wait_until(changed_, mutex_, until.deadline);
  }
  const Decision decision = waiting_[key];
  waiting_.erase(key);
  if (decision.allowed) return {};
  if (decision.made) return Status(Reason::kForbidden, decision.reason);
  return Status(Reason::kTimeout, "timed out waiting for Permit plugins");
}

}  // namespace proa::scheduler
