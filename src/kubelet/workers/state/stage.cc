#include "kubelet/workers/state/stage.h"

namespace proa::kubelet {

Stage next_stage(Stage now, const StageFacts& facts) {
  switch (now) {
    case Stage::kPending:
      if (facts.leaves || facts.ended) return Stage::kTerminating;
      return facts.admitted ? Stage::kSyncing : Stage::kPending;
    case Stage::kSyncing:
      return facts.leaves || facts.ended ? Stage::kTerminating : Stage::kSyncing;
    case Stage::kTerminating:
      return facts.released ? Stage::kTerminated : Stage::kTerminating;
    case Stage::kTerminated:
      return facts.leaves && facts.removed ? Stage::kFinished : Stage::kTerminated;
    case Stage::kFinished:
      break;
  }
  return Stage::kFinished;
}

Step choose_step(const StepFacts& facts) {
  if (!facts.known) return Step::kRemoveOrphan;
  if (facts.leaves) return Step::kTerminate;
  if (facts.in_runtime) return Step::kSync;
  if (facts.predecessor_remains) return Step::kWait;
  // Admission needs the Node. Static pods run even without an API server.
  return facts.node_registered || facts.is_static ? Step::kSync : Step::kWait;
}

}  // namespace proa::kubelet
