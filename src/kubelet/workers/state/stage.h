#pragma once

#include <cstdint>

namespace proa::kubelet {

// The stages of a pod on this node, in order. A pod never goes back to an earlier one.
//
//   from          to            when
//   kPending      kSyncing      it is admitted
//   kPending      kTerminating  it leaves or has ended (a refused pod has ended)
//   kSyncing      kTerminating  it leaves or has ended
//   kTerminating  kTerminated   nothing of it runs, and its host resources are released
//   kTerminated   kFinished     it leaves, and the runtime has nothing of it
//
// "Leaves": it was deleted, or is no longer wanted on this node. "Has ended": its phase is final,
// it was refused or evicted, or it exceeded its deadline. A static pod that is removed and added
// again gets a new PodMemory and begins with kPending.
enum class Stage : uint8_t {
  kPending,      // not admitted yet
  kSyncing,      // containers are started, restarted and resized
  kTerminating,  // containers are being stopped for good
  kTerminated,   // ended containers and their logs may remain
  kFinished,     // the API server was told that nothing remains
};

// True from the moment at which nothing of the pod is started again.
constexpr bool is_over(Stage stage) { return stage >= Stage::kTerminating; }

struct StageFacts {
  bool admitted = false;
  bool ended = false;
  bool leaves = false;
  bool released = false;  // nothing runs; volumes and cgroup are gone
  bool removed = false;   // the runtime has neither sandboxes nor containers of it
};

// Pure. One transition at most; the same stage if none applies.
Stage next_stage(Stage now, const StageFacts& facts);

// What a reconcile does for a pod.
enum class Step : uint8_t {
  kRemoveOrphan,  // the runtime has parts of an unknown pod
  kTerminate,
  kWait,  // another event leads to the next reconcile
  kSync,  // admission first; then the stage decides
};

struct StepFacts {
  bool known = false;  // this kubelet has its spec
  bool leaves = false;
  bool in_runtime = false;  // the runtime has a sandbox or a container of it
  bool is_static = false;
  bool predecessor_remains = false;  // an older static pod of the same name is still here
  bool node_registered = false;
};

// Pure.
Step choose_step(const StepFacts& facts);

}  // namespace proa::kubelet
