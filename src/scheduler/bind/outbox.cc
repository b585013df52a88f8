#include "scheduler/bind/outbox.h"

#include <memory>
#include <optional>
#include <utility>

namespace proa::scheduler {

Outbox::~Outbox() {
  const MutexLock lock(mutex_);
  closed_ = true;
  ready_.clear();
  while (tasks_ + slow_tasks_ > 0) idle_.wait(mutex_);
}

void Outbox::post(api::UidView uid, Write write) {
  post(PendingWrite{.uid = api::Uid(uid), .write = std::move(write)});
}

void Outbox::post_slow(api::UidView uid, Write write) {
  post(PendingWrite{.uid = api::Uid(uid), .write = std::move(write), .slow = true});
}

void Outbox::post(PendingWrite pending) {
  {
    const MutexLock lock(mutex_);
    if (closed_) return;
    const auto [found, is_first] = busy_.try_emplace(pending.uid);
    if (!is_first) {
      found->second.push_back(std::move(pending));
      return;
    }
  }
  dispatch(std::move(pending));
}

void Outbox::dispatch(PendingWrite pending) {
  if (!pending.slow) {
    {
      const MutexLock lock(mutex_);
      ready_.push_back(std::move(pending));
      if (tasks_ >= most_) return;
      ++tasks_;
    }
    return start_task();
  }
  {
    const MutexLock lock(mutex_);
    ++slow_tasks_;
  }
  auto shared = std::make_shared<PendingWrite>(std::move(pending));
  const auto task = [this, shared] {
    run(*shared);
    const MutexLock lock(mutex_);
    --slow_tasks_;
    idle_.notify_all();
  };
  if (!pool_.submit(task)) task();
}

void Outbox::start_task() {
  if (!pool_.submit([this] { work(); })) work();
}

void Outbox::work() {
  while (true) {
    PendingWrite pending;
    {
      const MutexLock lock(mutex_);
      if (ready_.empty() || closed_) {
        --tasks_;
        idle_.notify_all();
        return;
      }
      pending = std::move(ready_.front());
      ready_.pop_front();
    }
    run(pending);
  }
}

void Outbox::run(PendingWrite& pending) {
  pending.write();
  pending.write = nullptr;
  std::optional<PendingWrite> next;
  {
    const MutexLock lock(mutex_);
    const auto found = busy_.find(pending.uid);
    if (found->second.empty() || closed_) {
      busy_.erase(found);
      return;
    }
    next = std::move(found->second.front());
    found->second.pop_front();
    if (!next->slow) {
      ready_.push_back(std::move(*next));
      next.reset();
      if (tasks_ >= most_) return;
      ++tasks_;
    }
  }
  if (next) return dispatch(std::move(*next));
  start_task();
}

size_t Outbox::size() const {
  const MutexLock lock(mutex_);
  return busy_.size();
}

}  // namespace proa::scheduler
