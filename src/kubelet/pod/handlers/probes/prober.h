#pragma once

#include <functional>
#include <memory>

#include "base/random.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "http/client/client.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/handlers/probes/results.h"
#include "kubelet/runtime/cri/runtime_pod.h"

namespace proa::kubelet {

// Probes the containers of pods: one thread for the schedule, the pool for the probes. Results have
// upstream's semantics: thresholds, initial delays, startup before the others. Initially liveness
// is passed and readiness failed; startup has no result until it is decided: false means that the
// container is to be restarted. For a container that is older than this kubelet nothing is set
// until a probe has a result, except a startup probe that had passed. Init containers that are not
// sidecars, and ephemeral containers, have no probes. From any thread.
class Prober {
 public:
  struct Context {
    Clock& clock;
    Random& random;
    WorkerPool& pool;
    cri::Runtime& runtime;
    http::Client& client;  // for gRPC
    client::EventRecorder& events;
    ProbeResults& results;
    // A result changed: reconcile the pod of that uid.
    std::function<void(api::UidView pod_uid)> changed;
    // The node's own address: that of pods with hostNetwork.
    std::function<std::string()> host_address = {};
  };
  // Cancels running probes and waits for them.
  virtual ~Prober() = default;
  // Starts, continues or ends the probes of a pod, according to its running containers. Called at
  // every sync, before its status is computed: initial results are set afterwards.
  virtual void follow(const PodPtr& pod, const cri::RuntimePod& running) = 0;
  // The pod is being stopped: only readiness probes continue.
  virtual void stop_liveness(api::UidView pod_uid) = 0;
  virtual void forget(api::UidView pod_uid) = 0;
};

std::unique_ptr<Prober> make_prober(Prober::Context context);

}  // namespace proa::kubelet
