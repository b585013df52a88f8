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

// What each pod was given of the node: what its spec asked for when it was admitted, and after that
// what it was resized to. Who asks for more than there is waits until others go or shrink. What was
// given before this program began is read from the API. From any thread.
class Allocations {
 public:
  struct Context {
    Registry& registry;
    Clock& clock;
    client::EventRecorder& events;
    std::function<api::ObjectPtr()> node;
    std::function<bool()> all_known;  // all pods that are wanted are in the registry
    // The pod of that uid must be looked at: it was given something else, or is told another reason
    // why not.
    std::function<void(const std::string& uid)> look;
  };
  // Everything outlives it.
  explicit Allocations(Context context) : context_(std::move(context)) {}

  // Whether a pod may run here; then it is given what it asks for. `runs`: a kubelet before this
  // one decided that.
  Refusal admit(const PodPtr& pod, bool runs) EXCLUDES(mutex_);
  // The pod with what it was given in place of what its spec asks for.
  PodPtr allocated(const PodPtr& pod) const EXCLUDES(mutex_);
  // Those that use something of the node, so. A pod that shrinks counts as before until it has.
  std::vector<PodPtr> admitted(std::string_view except = {}) const EXCLUDES(mutex_);

  // Gives an admitted pod what its spec asks for now, if that can be. How long it may take until
  // that is tried again without anybody asking; nullopt: there is nothing to be tried.
  std::optional<Duration> settle(const PodPtr& pod) EXCLUDES(mutex_);
  // There may be more room than before.
  void retry() EXCLUDES(mutex_);

  // What its containers have is not what it was given (`pod`), or is; or why that can't be changed
  // now. A pod that was given something else meanwhile is not meant.
  void begin(const PodPtr& pod) EXCLUDES(mutex_);
  void complete(const PodPtr& pod) EXCLUDES(mutex_);
  void fail(const PodPtr& pod, const std::string& message) EXCLUDES(mutex_);

  ResizeConditions conditions(const std::string& uid) const EXCLUDES(mutex_);
  // It uses nothing any more.
  void forget(const std::string& uid) EXCLUDES(mutex_);

 private:
  struct Entry {
    PodPtr given = {};
    PodPtr before = {};  // what it may still use, while a resize is in progress
    ResizeConditions conditions = {};
  };
  enum class Outcome : uint8_t { kSame, kChanged };

  PodPtr allocated_now(const PodPtr& pod) const REQUIRES(mutex_);
  std::vector<PodPtr> admitted_now(std::string_view except) const REQUIRES(mutex_);
  void retry_all(std::string_view asks) REQUIRES(mutex_);
  std::vector<PendingResize> in_order() const REQUIRES(mutex_);
  Outcome try_to_give(const PodPtr& pod, Entry& entry) REQUIRES(mutex_);
  Outcome put_off(const Pod& pod, const Refusal& refusal, Entry& entry) REQUIRES(mutex_);
  Entry* find_given(const Pod& pod) REQUIRES(mutex_);

  const Context context_;
  mutable Mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_ GUARDED_BY(mutex_);  // by the pod's uid
  std::set<std::string, std::less<>> pending_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
