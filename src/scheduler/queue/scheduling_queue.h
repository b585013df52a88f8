#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "scheduler/framework/queue_policy.h"

namespace proa::scheduler {

// A pod on its way to a node, and what became of its attempts.
struct WaitingPod : QueuedPod {
  Time first_queued{};
  int attempts = 0;
  int unschedulable_attempts = 0;  // those that found no node
  int errors_in_a_row = 0;         // those that failed otherwise
  // Who rejected it last; an event must mean something to one of them.
  std::vector<const Plugin*> rejected_by = {};
  const Plugin* gated_by = nullptr;
};
using WaitingPtr = std::unique_ptr<WaitingPod>;

// The pods that wait for a node. Those that can be tried, in the order of the policy; those that
// were tried in vain, until an event that may help them, and then until their back-off is over;
// those that are gated. A pod that nothing can help at the moment costs nothing. For one thread.
class SchedulingQueue {
 public:
  struct Options {
    Duration initial_backoff = std::chrono::seconds(1);
    Duration max_backoff = std::chrono::seconds(10);
    // After so long a pod is tried again whatever happened, in case a hint was wrong.
    Duration max_unschedulable = std::chrono::minutes(5);
  };
  // Everything outlives it.
  SchedulingQueue(Clock& clock, const QueuePolicy& policy, Options options)
      : clock_(clock),
        policy_(policy),
        options_(options),
        active_(Order{&policy}),
        backoff_(SoonerInOrder{Order{&policy}}) {}

  // A pod without a node, new or changed.
  void put(const PodPtr& pod);
  // It has a node, or is gone.
  void remove(std::string_view uid);
  bool has(std::string_view uid) const { return entries_.contains(uid); }

  // The next one to be tried; null when there is none. It is out of the queue then.
  WaitingPtr pop();
  // Back, after an attempt that found no node: the plugins that rejected it.
  void put_back(WaitingPtr pod, std::vector<const Plugin*> rejected_by);
  // Back, after an attempt that failed for other reasons.
  void put_back_after_error(WaitingPtr pod);

  // Something changed: pods that it may help come back. `highest`: more important ones did not mind
  // how it was before.
  void tell(const ClusterEvent& event, int32_t highest = std::numeric_limits<int32_t>::max());
  // It can be tried at once, whatever happened; unless it is gated.
  void retry(std::string_view uid);
  // A gate may be open now: if the pod stands before one, it is asked again.
  void ask_gate(std::string_view uid);

  // Moves those whose time has come; when the next one's does.
  Steady flush();
  Steady next_due() const;

  size_t active() const { return active_.size(); }
  size_t backing_off() const { return backoff_.size(); }
  size_t unschedulable() const { return unschedulable_.size(); }
  size_t gated() const { return gated_; }
  // Every pod that waits, for who wants to look.
  void for_each(const std::function<void(const WaitingPod&, std::string_view where)>& look) const;

 private:
  enum class Place : uint8_t { kActive, kBackoff, kUnschedulable, kGated };
  struct Entry {
    WaitingPtr waiting;
    Place place = Place::kActive;
    uint64_t number = 0;  // of those that are equal, the first one first
    Steady attempted{};   // last
    Steady until{};       // in backoff_ or unschedulable_
    bool failed = false;  // the last attempt was an error: the back-off is kept to
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
  // Back-offs end together, second by second, so that the more important pods come first.
  struct SoonerInOrder {
    Order order;
    bool operator()(const Entry* a, const Entry* b) const {
      return a->until != b->until ? a->until < b->until : order(a, b);
    }
  };

  Entry& insert(WaitingPtr waiting);
  void take_out(Entry& entry);
  void place(Entry& entry, Place place);
  // To where it can be tried, or to where it waits until it may: for its back-off, or for a gate.
  void admit(Entry& entry);
  Steady backoff_end(const Entry& entry) const;
  bool may_help(const WaitingPod& waiting, const ClusterEvent& event) const;
  void replace(Entry& entry, const PodPtr& pod);

  Clock& clock_;
  const QueuePolicy& policy_;
  const Options options_;
  std::unordered_map<std::string_view, std::unique_ptr<Entry>> entries_;  // by uid, in its text
  std::set<Entry*, Order> active_;
  std::set<Entry*, SoonerInOrder> backoff_;
  std::set<Entry*, Sooner> unschedulable_;
  size_t gated_ = 0;
  uint64_t next_number_ = 0;
};

}  // namespace proa::scheduler
