#include "scheduler/queue/scheduling_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace proa::scheduler {
namespace scheduling_queue {

// Back-offs that end within one of these end with it: upstream's ordering window.
constexpr Duration kBackoffWindow = std::chrono::seconds(1);

bool is_interested(const Plugin& plugin, const ClusterEvent& event) {
  for (const EventInterest& interest : plugin.events()) {
    if (interest.resource == event.resource && (interest.actions & event.action) != 0) return true;
  }
  return false;
}

// Caches the plugins' answers about one event: pods of one shape get the same answer, and often
// many of them wait.
class Answers {
 public:
  explicit Answers(const ClusterEvent& event) : event_(event) {}

  bool may_help(const Plugin* plugin, const Pod& pod) {
    if (!interested(plugin)) return false;
    // The answer depends on the pod itself, not only on its shape.
    if (event_.resource == EventResource::kUnscheduledPod || pod.shape->has_volumes_of_its_own) {
      return plugin->may_help(pod, event_);
    }
    const std::pair<const Plugin*, const PodShape*> key(plugin, pod.shape.get());
    for (const auto& [known, answer] : answers_) {
      if (known == key) return answer;
    }
    const bool answer = plugin->may_help(pod, event_);
    if (answers_.size() < kMostKept) answers_.emplace_back(key, answer);
    return answer;
  }

 private:
  static constexpr size_t kMostKept = 64;

  bool interested(const Plugin* plugin) {
    for (const auto& [known, answer] : interested_) {
      if (known == plugin) return answer;
    }
    return interested_.emplace_back(plugin, is_interested(*plugin, event_)).second;
  }

  const ClusterEvent& event_;
  std::vector<std::pair<const Plugin*, bool>> interested_;
  std::vector<std::pair<std::pair<const Plugin*, const PodShape*>, bool>> answers_;
};

}  // namespace scheduling_queue

SchedulingQueue::Entry& SchedulingQueue::insert(WaitingPtr waiting) {
  auto entry = std::make_unique<Entry>();
  entry->waiting = std::move(waiting);
  entry->number = next_number_++;
  Entry& added = *entry;
  const bool is_new = entries_.emplace(added.waiting->pod->uid(), std::move(entry)).second;
  CHECK(is_new);
  return added;
}

void SchedulingQueue::take_out(Entry& entry) {
  switch (entry.place) {
    case Place::kActive:
      active_.erase(&entry);
      break;
    case Place::kBackoff:
      backoff_.erase(&entry);
      break;
    case Place::kUnschedulable:
      unschedulable_.erase(&entry);
      break;
    case Place::kGated:
      --gated_;
      break;
  }
}

void SchedulingQueue::place(Entry& entry, Place place) {
  entry.place = place;
  switch (place) {
    case Place::kActive:
      active_.insert(&entry);
      break;
    case Place::kBackoff:
      backoff_.insert(&entry);
      break;
    case Place::kUnschedulable:
      unschedulable_.insert(&entry);
      break;
    case Place::kGated:
      ++gated_;
      break;
  }
}

Steady SchedulingQueue::backoff_end(const Entry& entry) const {
  const WaitingPod& waiting = *entry.waiting;
  const int count = entry.failed ? waiting.errors_in_a_row : waiting.unschedulable_attempts;
  if (count == 0) return entry.attempted;
  Duration backoff = options_.initial_backoff;
  for (int i = 1; i < count && backoff < options_.max_backoff; ++i) backoff *= 2;
  if (options_.max_backoff == Duration::zero()) return entry.attempted;
  const Steady end = entry.attempted + std::min(backoff, options_.max_backoff);
  return end - end.time_since_epoch() % scheduling_queue::kBackoffWindow +
         scheduling_queue::kBackoffWindow;
}

void SchedulingQueue::admit(Entry& entry) {
  entry.waiting->gated_by = policy_.gate(*entry.waiting->pod);
  if (entry.waiting->gated_by != nullptr) return place(entry, Place::kGated);
  entry.until = backoff_end(entry);
  place(entry, entry.until > clock_.steady() ? Place::kBackoff : Place::kActive);
}

void SchedulingQueue::put(const PodPtr& pod) {
  const auto found = entries_.find(pod->uid());
  if (found != entries_.end()) return replace(*found->second, pod);
  auto waiting = std::make_unique<WaitingPod>();
  waiting->pod = pod;
  waiting->queued = waiting->first_queued = clock_.now();
  admit(insert(std::move(waiting)));
}

void SchedulingQueue::replace(Entry& entry, const PodPtr& pod) {
  const PodPtr before = entry.waiting->pod;
  // The key points into the pod that is replaced.
  auto node = entries_.extract(before->uid());
  take_out(entry);
  entry.waiting->pod = pod;
  node.key() = pod->uid();
  entries_.insert(std::move(node));
  const uint32_t changes = pod_changes(*before, *pod);
  const ClusterEvent event{.resource = EventResource::kUnscheduledPod,
                           .action = changes != 0 ? changes : action::kUpdateOther,
                           .old_pod = before.get(),
                           .new_pod = pod.get()};
  switch (entry.place) {
    case Place::kGated:
      return admit(entry);
    case Place::kUnschedulable:
      if (may_help(*entry.waiting, event)) return admit(entry);
      return place(entry, Place::kUnschedulable);
    default:
      return place(entry, entry.place);
  }
}

void SchedulingQueue::remove(api::UidView uid) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) return;
  const std::unique_ptr<Entry> entry = std::move(found->second);
  take_out(*entry);
  entries_.erase(found);
}

WaitingPtr SchedulingQueue::pop() {
  Entry* next = nullptr;
  if (!active_.empty()) {
    next = *active_.begin();
  } else {
    // With no active pod, pods in back-off are tried early, except those that failed with an error.
    for (Entry* entry : backoff_) {
      if (entry->failed) continue;
      next = entry;
      break;
    }
  }
  if (next == nullptr) return nullptr;
  take_out(*next);
  const auto found = entries_.find(next->waiting->pod->uid());
  WaitingPtr waiting = std::move(found->second->waiting);
  entries_.erase(found);
  ++waiting->attempts;
  return waiting;
}

void SchedulingQueue::put_back(WaitingPtr waiting, std::vector<const Plugin*> rejected_by) {
  if (has(waiting->pod->uid())) return;  // it was updated and queued again during the attempt
  waiting->rejected_by = std::move(rejected_by);
  waiting->queued = clock_.now();
  ++waiting->unschedulable_attempts;
  waiting->errors_in_a_row = 0;
  Entry& entry = insert(std::move(waiting));
  entry.attempted = clock_.steady();
  entry.until = entry.attempted + options_.max_unschedulable;
  // Its gates are asked again when an event may help it.
  place(entry, Place::kUnschedulable);
}

void SchedulingQueue::put_back_after_error(WaitingPtr waiting) {
  if (has(waiting->pod->uid())) return;
  waiting->rejected_by.clear();
  waiting->queued = clock_.now();
  ++waiting->errors_in_a_row;
  Entry& entry = insert(std::move(waiting));
  entry.attempted = clock_.steady();
  entry.failed = true;
  admit(entry);
}

bool SchedulingQueue::may_help(const WaitingPod& waiting, const ClusterEvent& event) const {
  // Not rejected by a particular plugin: any event may help.
  if (waiting.rejected_by.empty()) return true;
  scheduling_queue::Answers answers(event);
  return std::any_of(waiting.rejected_by.begin(), waiting.rejected_by.end(),
                     [&](const Plugin* one) { return answers.may_help(one, *waiting.pod); });
}

void SchedulingQueue::tell(const ClusterEvent& event, int32_t highest) {
  if (unschedulable_.empty()) return;
  scheduling_queue::Answers answers(event);
  std::vector<Entry*> helped;
  for (Entry* entry : unschedulable_) {
    const WaitingPod& waiting = *entry->waiting;
    if (waiting.pod->priority() > highest) continue;
    const bool helps =
        waiting.rejected_by.empty() ||
        std::any_of(waiting.rejected_by.begin(), waiting.rejected_by.end(),
                    [&](const Plugin* one) { return answers.may_help(one, *waiting.pod); });
    if (helps) helped.push_back(entry);
  }
  for (Entry* entry : helped) {
    take_out(*entry);
    admit(*entry);
  }
}

void SchedulingQueue::retry(api::UidView uid) {
  const auto found = entries_.find(uid);
  if (found == entries_.end() || found->second->place == Place::kActive) return;
  Entry& entry = *found->second;
  take_out(entry);
  entry.waiting->gated_by = policy_.gate(*entry.waiting->pod);
  place(entry, entry.waiting->gated_by != nullptr ? Place::kGated : Place::kActive);
}

void SchedulingQueue::ask_gate(api::UidView uid) {
  const auto found = entries_.find(uid);
  if (found == entries_.end() || found->second->place != Place::kGated) return;
  take_out(*found->second);
  admit(*found->second);
}

Steady SchedulingQueue::flush() {
  const Steady now = clock_.steady();
  while (!backoff_.empty() && (*backoff_.begin())->until <= now) {
    Entry& entry = **backoff_.begin();
    take_out(entry);
    place(entry, Place::kActive);
  }
  while (!unschedulable_.empty() && (*unschedulable_.begin())->until <= now) {
    Entry& entry = **unschedulable_.begin();
    take_out(entry);
    admit(entry);
  }
  return next_due();
}

Steady SchedulingQueue::next_due() const {
  Steady next = Steady::max();
  if (!backoff_.empty()) next = std::min(next, (*backoff_.begin())->until);
  if (!unschedulable_.empty()) next = std::min(next, (*unschedulable_.begin())->until);
  return next;
}

void SchedulingQueue::for_each(
    const std::function<void(const WaitingPod&, std::string_view)>& look) const {
  for (const auto& [uid, entry] : entries_) {
    switch (entry->place) {
      case Place::kActive:
        look(*entry->waiting, "active");
        break;
      case Place::kBackoff:
        look(*entry->waiting, "backoff");
        break;
      case Place::kUnschedulable:
        look(*entry->waiting, "unschedulable");
        break;
      case Place::kGated:
        look(*entry->waiting, "gated");
        break;
    }
  }
}

}  // namespace proa::scheduler
