#pragma once

#include "client/events/recorder.h"
#include "kubelet/node/agent/node_agent.h"
#include "kubelet/pod/status/status_writer.h"
#include "kubelet/pod/volumes/volumes.h"
#include "kubelet/workers/state/allocations.h"
#include "kubelet/workers/state/reconcile_state.h"

namespace proa::kubelet {

// What may end a pod whatever its containers do, and what keeps it from starting. Each check
// records its Event and schedules its repetition.
class PodChecks {
 public:
  // Everything outlives it.
  PodChecks(Allocations& allocations, const NodeAgent& node, const StatusWriter& statuses,
            Volumes& volumes, client::EventRecorder& events)
      : allocations_(allocations),
        node_(node),
        statuses_(statuses),
        volumes_(volumes),
        events_(events) {}

  // Admits the pod once; later on allocates the resources that its spec has since.
  void admit(ReconcileState& state, const PodPtr& wanted) const;
  // activeDeadlineSeconds.
  void check_deadline(ReconcileState& state) const;
  // Evicts a pod whose emptyDir exceeds its sizeLimit.
  Result<void> check_storage(ReconcileState& state) const;
  bool network_ready(const ReconcileState& state) const;
  // Reconciles again when a token in a volume has to be renewed.
  void schedule_token_refresh(ReconcileState& state) const;

 private:
  Allocations& allocations_;
  const NodeAgent& node_;
  const StatusWriter& statuses_;
  Volumes& volumes_;
  client::EventRecorder& events_;
};

}  // namespace proa::kubelet
