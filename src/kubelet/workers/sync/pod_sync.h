#pragma once

#include "kubelet/workers/start/starter.h"
#include "kubelet/workers/stop/pod_remover.h"
#include "kubelet/workers/stop/pod_stopper.h"
#include "kubelet/workers/sync/pod_checks.h"
#include "kubelet/workers/sync/resizer.h"
#include "kubelet/workers/sync/restarter.h"

namespace proa::kubelet {

// The stage kSyncing: brings sandbox and containers of a pod to what its spec wants.
class PodSync {
 public:
  struct Context {
    cri::Runtime& runtime;
    Registry& registry;
    PostStarts& post_starts;
    const ProbeResults& probes;
    client::EventRecorder& events;
    const PodChecks& checks;
    const Starter& starter;
    const PodStopper& stopper;
    const PodRemover& remover;
    const Restarter& restarter;
    const Resizer& resizer;
    const StatusReporter& reporter;
  };
  // Everything outlives it.
  explicit PodSync(Context context) : context_(context) {}

  enum class Outcome : uint8_t {
    kDone,  // until something happens, or ReconcileState::next
    kTerminate,
  };
  Result<Outcome> run(ReconcileState& state) const;

 private:
  // What one sync does about a resize.
  struct Resize {
    ResizePlan plan = {};
    Result<void> applied = {};
  };

  Result<void> carry_out(ReconcileState& state, const PodPlan& plan, Resize& resize) const;
  // False while containers still run.
  Result<bool> stop_everything(ReconcileState& state, const PodPlan& plan) const;
  Result<void> replace_sandbox(ReconcileState& state, const PreparedPod& prepared) const;
  Result<void> start_containers(ReconcileState& state, const PreparedPod& prepared,
                                const PodPlan& plan) const;
  PodPlan make_plan(const ReconcileState& state) const;

  const Context context_;
};

}  // namespace proa::kubelet
