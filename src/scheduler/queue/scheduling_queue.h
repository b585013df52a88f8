#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "scheduler/framework/queue_policy.h"

namespace proa::scheduler {

// A pod in the queue and the record of its attempts.
struct WaitingPod : QueuedPod {
  Time first_queued{};
  int attempts = 0;
  int unschedulable_attempts = 0;  // attempts without a feasible node
  int errors_in_a_row = 0;         // attempts that failed with an error
  // The plugins that rejected it last; an event must concern one of them.
  std::vector<const Plugin*> rejected_by = {};
  const Plugin* gated_by = nullptr;
};
using WaitingPtr = std::unique_ptr<WaitingPod>;

// The pods that wait for a node: active ones, in the order of the policy; unschedulable ones, which
// wait for an event that may help and then for their back-off; gated ones. A pod that nothing can
// help costs nothing. For one thread.
class SchedulingQueue {
 public:
  struct Options {
    Duration initial_backoff = std::chrono::seconds(1);
    Duration max_backoff = std::chrono::seconds(10);
    // After this time a pod is retried without an event, in case a hint was wrong.
    Duration max_unschedulable = std::chrono::minutes(5);
  };
  // Everything outlives it.
  SchedulingQueue(Clock& clock, const QueuePolicy& policy, Options options)
      : clock_(clock),
        policy_(policy),
        options_(options),
        active_(Order{&policy}),
        backoff_(SoonerInOrder{Order{&policy}}) {}

  // Adds or updates a pending pod.
  void put(const PodPtr& pod);
  // The pod is bound or deleted.
  void remove(api::UidView uid);
  bool has(api::UidView uid) const { return entries_.contains(uid); }

  // Takes the next active pod out of the queue; null if there is none.
  WaitingPtr pop();
  // Puts a pod back after an attempt without a feasible node; `rejected_by`: the plugins that
  // rejected it.
  void put_back(WaitingPtr pod, std::vector<const Plugin*> rejected_by);
  // Puts a pod back after an attempt that failed with an error.
  void put_back_after_error(WaitingPtr pod);

  // A cluster event: requeues the pods it may help. `highest`: pods with a higher priority are not
  // affected.
  void tell(const ClusterEvent& event, int32_t highest = std::numeric_limits<int32_t>::max());
  // Makes the pod active immediately, unless it is gated.
  void retry(api::UidView uid);
  // If the pod is gated, asks its gates again.
  void ask_gate(api::UidView uid);

  // Moves pods whose back-off has ended; returns when the next one is due.
  Steady flush();
  Steady next_due() const;

  size_t active() const { return active_.size(); }
  size_t backing_off() const { return backoff_.size(); }
  size_t unschedulable() const { return unschedulable_.size(); }
  size_t gated() const { return gated_; }
  // Visits every pod in the queue.
  void for_each(const std::function<void(const WaitingPod&, std::string_view where)>& look) const;

 private:
  enum class Place : uint8_t { kActive, kBackoff, kUnschedulable, kGated };
  struct Entry {
    WaitingPtr waiting;
    Place place = Place::kActive;
    uint64_t number = 0;  // order among equal pods
    Steady attempted{};   // last attempt
    Steady until{};       // when it leaves backoff_ or unschedulable_
    bool failed = false;  // the last attempt was an error: the back-off applies
  };
  struct Order {
    const QueuePolicy* policy;
    bool operator()(const Entry* a, const Entry* b) const {
      if (policy->goes_before(*a->waiting, *b->waiting)) return true;
      if (policy->goes_before(*b->waiting, *a->waiting)) return false;
      return a->number < b->number;
    }
  };
  struct Sooner {
    bool operator()(const Entry* a, const Entry* b) const {
      return a->until != b->until ? a->until < b->until : a->number < b->number;
    }
  };
  // Back-offs end in windows of a second, so that pods of higher priority come first.
  struct SoonerInOrder {
    Order order;
    bool operator()(const Entry* a, const Entry* b) const {
      return a->until != b->until ? a->until < b->until : order(a, b);
    }
  };

  Entry& insert(WaitingPtr waiting);
  void take_out(Entry& entry);
  void place(Entry& entry, Place place);
  // Moves the pod to the active queue, or to the back-off or gated pods.
  void admit(Entry& entry);
  Steady backoff_end(const Entry& entry) const;
  bool may_help(const WaitingPod& waiting, const ClusterEvent& event) const;
  void replace(Entry& entry, const PodPtr& pod);

  Clock& clock_;
  const QueuePolicy& policy_;
  const Options options_;
  // The uid points into the pod.
  std::unordered_map<api::UidView, std::unique_ptr<Entry>> entries_;
  std::set<Entry*, Order> active_;
  std::set<Entry*, SoonerInOrder> backoff_;
  std::set<Entry*, Sooner> unschedulable_;
  size_t gated_ = 0;
  uint64_t next_number_ = 0;
};

}  // namespace proa::scheduler
