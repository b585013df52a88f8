#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime_pod.h"
#include "kubelet/workers/state/pod_memory.h"

namespace proa::kubelet {

// The pods that this node shall run, and the owners of the runtime's sandboxes and containers. From
// any thread.
class Registry {
 public:
  struct Entry {
    PodPtr pod = {};    // null: unknown
    bool gone = false;  // no longer wanted; `pod` is its last state
    // It was removed and added again (a manifest file): the old pod terminates completely before
    // the new one starts with a new memory.
    bool returned = false;
    std::shared_ptr<PodMemory> memory = {};
  };

  void put(PodPtr pod) EXCLUDES(mutex_);
  // `last`: its last state.
  void drop(PodPtr last) EXCLUDES(mutex_);
  // Nothing of it is left. Returns the pods that can start now: the pod itself if it is wanted
  // again, or a static pod that waited for its name.
  std::vector<api::Uid> forget(api::UidView uid) EXCLUDES(mutex_);

  Entry get(api::UidView uid) const EXCLUDES(mutex_);
  // The wanted pods.
  std::vector<PodPtr> pods() const EXCLUDES(mutex_);
  PodPtr find(const api::PodKey& key) const EXCLUDES(mutex_);
  // Whether a static pod has to wait: an older one with the same key is not removed yet.
  bool must_wait(const Pod& pod) const EXCLUDES(mutex_);
  // The pods that may use resources of the node: admitted, by this kubelet or a previous one, and
  // not terminated. Without that one. A pod whose final phase the API server has, or may get at any
  // moment, does not count, although its volumes are still being released: the scheduler has given
  // its place to another pod.
  std::vector<PodPtr> admitted(api::UidView except = {}) const EXCLUDES(mutex_);
  // Marks it as one of those.
  void admit(api::UidView uid) EXCLUDES(mutex_);

  // Mirror pods of the API server. A mirror has the key of its static pod.
  void put_mirror(PodPtr mirror) EXCLUDES(mutex_);
  void drop_mirror(const Pod& mirror) EXCLUDES(mutex_);
  PodPtr mirror(const api::PodKey& key) const EXCLUDES(mutex_);

  // The sandboxes and containers of a pod.
  void seen(api::UidView uid, const cri::RuntimePod& running) EXCLUDES(mutex_);
  void made(api::UidView uid, const std::string& id) EXCLUDES(mutex_);
  // Empty if unknown.
  api::Uid owner(const std::string& id) const EXCLUDES(mutex_);
  // Whether one of its containers may run, as far as is known.
  bool may_run(api::UidView uid) const EXCLUDES(mutex_);
  // The same for the containers of all pods.
  bool any_may_run() const EXCLUDES(mutex_);
  struct Shape {
    api::Uid uid = {};
    int state = -1;  // of a container; of a sandbox, 10 and more; -1: unknown
  };
  // Whether that is its last known state.
  bool is_known(const std::string& id, int state) const EXCLUDES(mutex_);
  // The pods with sandboxes or containers that are not among `ids`.
  std::vector<api::Uid> missing(const std::vector<std::string>& ids) const EXCLUDES(mutex_);

 private:
  bool may_run_now(api::UidView uid) const REQUIRES(mutex_);
  // REQUIRES: its memory exists.
  bool uses_node(api::UidView uid, const Entry& entry) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<api::Uid, Entry, std::less<>> entries_ GUARDED_BY(mutex_);
  std::map<api::PodKey, PodPtr> mirrors_ GUARDED_BY(mutex_);
  std::map<std::string, Shape, std::less<>> things_ GUARDED_BY(mutex_);  // by id in the runtime
};

inline int state_number(cri::ContainerState state) { return static_cast<int>(state); }
inline int state_number(cri::SandboxState state) { return 10 + static_cast<int>(state); }

}  // namespace proa::kubelet
