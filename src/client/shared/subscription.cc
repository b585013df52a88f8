#include "client/shared/subscription.h"

#include <limits>
#include <stop_token>
#include <string>
#include <utility>

namespace proa::client {

std::optional<Event> Subscription::event_for(const Change& change) const {
  const bool had = change.before != nullptr && filter_.matches(*change.before);
  const bool has = change.after != nullptr && filter_.matches(*change.after);
  if (has) return Event{had ? EventType::kModified : EventType::kAdded, change.after};
  if (had) return Event{EventType::kDeleted, change.before};
  return std::nullopt;
}

void Subscription::tell(const Change& change, size_t most) {
  if (std::optional<Event> event = event_for(change)) append(std::move(*event), most);
}

void Subscription::end_initial(int64_t revision) {
  append({EventType::kBookmark,
          api::Object::make(R"({"metadata":{"resourceVersion":")" + std::to_string(revision) +
                            R"(","annotations":{"k8s.io/initial-events-end":"true"}}})")},
         std::numeric_limits<size_t>::max());
}

void Subscription::append(Event event, size_t most) {
  bool is_first = false;
  {
    MutexLock lock(mutex_);
    if (overrun_) return;
    is_first = unread_.empty();
    if (unread_.size() < most) {
      unread_.push_back(std::move(event));
    } else {
      unread_ = {};
      overrun_ = true;
    }
    changed_.notify_all();
  }
  if (!is_first) return;
  MutexLock lock(wake_mutex_);
  if (wake_) wake_();
}

void Subscription::on_ready(std::function<void()> wake) {
  MutexLock lock(wake_mutex_);
  wake_ = std::move(wake);
}

void Subscription::notify() {
  MutexLock lock(mutex_);
  changed_.notify_all();
}

Result<std::vector<Event>> Subscription::next(const Until& until) {
  const std::stop_callback stopped(until.stop, [this] { notify(); });
  MutexLock lock(mutex_);
  while (unread_.empty() && !overrun_) {
    if (until.stop.stop_requested() || clock_.steady() >= until.deadline) {
      return std::vector<Event>();
    }
    clock_.wait_until(changed_, mutex_, until.deadline);
  }
  if (overrun_) return Status(Reason::kExpired, "too many changes were not read in time");
  return std::exchange(unread_, {});
}

}  // namespace proa::client
