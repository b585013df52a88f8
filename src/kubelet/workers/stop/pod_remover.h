#pragma once

#include "base/files.h"
#include "kubelet/model/paths.h"
#include "kubelet/pod/handlers/probes/results.h"
#include "kubelet/workers/start/post_starts.h"
#include "kubelet/workers/state/reconcile_state.h"

namespace proa::kubelet {

// Removes exited containers, sandboxes and logs. What is gone already is no failure.
class PodRemover {
 public:
  // Everything outlives it.
  PodRemover(cri::Runtime& runtime, Files& files, const Paths& paths, ProbeResults& probes,
             PostStarts& post_starts)
      : runtime_(runtime),
        files_(files),
        paths_(paths),
        probes_(probes),
        post_starts_(post_starts) {}

  // All of a pod. REQUIRES: nothing of it runs.
  Result<void> remove_all(const ReconcileState& state) const;
  // Old instances of containers, and sandboxes that nothing uses. The newest instance of each name
  // stays, and the one before it: `kubectl logs --previous` reads that.
  Result<void> remove_old(const ReconcileState& state) const;
  // One container, but not its logs: their numbers count its starts.
  Result<void> remove_container(const cri::Container& container, const Until& until) const;

 private:
  Result<void> remove_with_log(const ReconcileState& state, const cri::Container& container) const;

  cri::Runtime& runtime_;
  Files& files_;
  const Paths& paths_;
  ProbeResults& probes_;
  PostStarts& post_starts_;
};

}  // namespace proa::kubelet
