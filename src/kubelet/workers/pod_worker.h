#pragma once

#include "client/informer/runner.h"
#include "kubelet/workers/state/node_halt.h"
#include "kubelet/workers/stop/orphan_remover.h"
#include "kubelet/workers/sync/pod_sync.h"
#include "kubelet/workers/sync/pod_termination.h"

namespace proa::kubelet {

// Reconciles one pod: the registry says what is wanted, the runtime what exists, the pod's stage
// (state/stage.h) what to do. The key's name is the pod's uid. Never waits for grace periods or
// image pulls: their end enqueues the pod again.
class PodWorker final : public client::Reconciler {
 public:
  struct Context {
    Clock& clock;
    cri::Runtime& runtime;
    Registry& registry;
    const Allocations& allocations;
    const NodeAgent& node;
    const PodChecks& checks;
    const PodSync& sync;
    const PodTermination& termination;
    const OrphanRemover& orphans;
    const StatusReporter& reporter;
    const NodeHalt& halt;
    std::stop_token shutdown = {};  // cancels calls under way
  };
  // Everything outlives it.
  explicit PodWorker(Context context) : context_(std::move(context)) {}

  Result<client::Again> reconcile(const client::Key& key) override;

 private:
  Step choose_step(const Registry::Entry& entry, const cri::RuntimePod& running) const;
  Result<void> remove_orphan(api::UidView uid, const cri::RuntimePod& running) const;
  // REQUIRES: the step is kTerminate or kSync.
  Result<client::Again> take(Step step, ReconcileState& state, const PodPtr& wanted) const;
  Result<client::Again> sync(ReconcileState& state) const;
  Until call_deadline() const;

  const Context context_;
};

}  // namespace proa::kubelet
