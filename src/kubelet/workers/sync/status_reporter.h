#pragma once

#include "base/files.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/paths.h"
#include "kubelet/node/agent/node_agent.h"
#include "kubelet/pod/handlers/probes/prober.h"
#include "kubelet/pod/status/status_writer.h"
#include "kubelet/workers/start/post_starts.h"
#include "kubelet/workers/state/allocations.h"
#include "kubelet/workers/state/reconcile_state.h"

namespace proa::kubelet {

// Computes the status of a pod and hands it to the status writer; keeps the probes of its running
// containers going.
class StatusReporter {
 public:
  struct Context {
    Files& files;
    const Paths& paths;
    const NodeAgent& node;
    ObjectSource& objects;
    const Allocations& allocations;
    Cgroups& cgroups;
    PostStarts& post_starts;
    Prober& prober;
    const ProbeResults& probes;
    StatusWriter& statuses;
    Time kubelet_started = {};
  };
  // Everything outlives it.
  explicit StatusReporter(Context context) : context_(context) {}

  enum class Containers : uint8_t {
    kMayRun,
    kStopped,  // nothing of the pod runs, and nothing will
  };
  // A final phase ends the pod (PodMemory::finish).
  void publish(ReconcileState& state, Containers containers = Containers::kMayRun) const;
  void probe(const ReconcileState& state) const;

 private:
  // What probes and the status see. A container whose postStart handler runs does not count as
  // running yet; its previous instance does.
  cri::RuntimePod visible(const ReconcileState& state) const;
  json::Document make_status(const ReconcileState& state, Containers containers) const;

  const Context context_;
};

}  // namespace proa::kubelet
