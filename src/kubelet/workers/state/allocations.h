#pragma once

#include <functional>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/threads/mutex.h"
#include "client/events/recorder.h"
#include "kubelet/pod/allocation/admit.h"
#include "kubelet/pod/allocation/resize_conditions.h"
#include "kubelet/pod/allocation/resize_order.h"

namespace proa::kubelet {

class Registry;

// The resources allocated to each pod: those of its spec at admission, later those it was resized
// to. A resize that exceeds the node's resources is deferred until other pods end or shrink.
// Allocations of a previous kubelet are read from the statuses. From any thread.
class Allocations {
 public:
  struct Context {
    Registry& registry;
    Clock& clock;
    client::EventRecorder& events;
    std::function<api::ObjectPtr()> node;
    std::function<bool()> pods_synced;  // all wanted pods are in the registry
    // Enqueues a pod: its allocation or its resize condition changed.
    std::function<void(api::UidView uid)> enqueue;
  };
  // Everything outlives it.
  explicit Allocations(Context context) : context_(std::move(context)) {}

  // Admits or refuses a pod; an admitted one is allocated what it requests. `runs`: a previous
  // kubelet admitted it.
  Refusal admit(const PodPtr& pod, bool runs) EXCLUDES(mutex_);
  // The pod with its allocated resources in place of those of its spec.
  PodPtr allocated(const PodPtr& pod) const EXCLUDES(mutex_);
  // The admitted pods with their allocations. A shrinking pod counts as before until it has shrunk.
  std::vector<PodPtr> admitted(api::UidView except = {}) const EXCLUDES(mutex_);

  // Allocates what the spec of an admitted pod requests now, if possible. Returns when to retry
  // without an event; nullopt: there is nothing to retry.
  std::optional<Duration> settle(const PodPtr& pod) EXCLUDES(mutex_);
  // Resources may have become free.
  void retry() EXCLUDES(mutex_);

  // The containers do not have the allocated resources (`pod`) yet, or now have them, or cannot get
  // them now and why. Ignored if the allocation changed meanwhile.
  void begin(const PodPtr& pod) EXCLUDES(mutex_);
  void complete(const PodPtr& pod) EXCLUDES(mutex_);
  void fail(const PodPtr& pod, const std::string& message) EXCLUDES(mutex_);

  ResizeConditions conditions(api::UidView uid) const EXCLUDES(mutex_);
  // It uses nothing any more.
  void forget(const api::Uid& uid) EXCLUDES(mutex_);

 private:
  struct Entry {
    PodPtr given = {};
    PodPtr before = {};  // what it may still use during a resize
    ResizeConditions conditions = {};
  };
  enum class Outcome : uint8_t { kSame, kChanged };

  PodPtr allocated_now(const PodPtr& pod) const REQUIRES(mutex_);
  std::vector<PodPtr> admitted_now(api::UidView except) const REQUIRES(mutex_);
  void retry_all(api::UidView asks) REQUIRES(mutex_);
  std::vector<PendingResize> in_order() const REQUIRES(mutex_);
  Outcome try_to_give(const PodPtr& pod, Entry& entry) REQUIRES(mutex_);
  Outcome put_off(const Pod& pod, const Refusal& refusal, Entry& entry) REQUIRES(mutex_);
  Entry* find_given(const Pod& pod) REQUIRES(mutex_);

  const Context context_;
  mutable Mutex mutex_;
  std::map<api::Uid, Entry, std::less<>> entries_ GUARDED_BY(mutex_);
  std::set<api::Uid, std::less<>> pending_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
