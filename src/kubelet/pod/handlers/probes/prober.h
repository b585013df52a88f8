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

// Probes the containers of pods in their rhythm: one thread that knows who is due, and the pool for
// the probes themselves. What is found goes into the results, with upstream's meaning: thresholds,
// initial delays, startup before the others. Liveness begins as passed, readiness as not passed;
// startup has no result until it is decided: false means that the container is to be restarted. Of
// a container that ran before this kubelet did, nothing is set until a probe has found something,
// but for a startup probe that had passed. Init containers that are no sidecars, and ephemeral
// ones, have no probes. From any thread.
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
    // A result changed: the pod of that uid must be looked at.
    std::function<void(const std::string& pod_uid)> changed;
    // The node's own address: where pods with hostNetwork are.
    std::function<std::string()> host_address = {};
  };
  // Calls off the probes under way, and waits until they have ended.
  virtual ~Prober() = default;
  // Begins, goes on with or ends the probes of a pod, by what runs of it now. Called at every sync,
  // before its status is computed: results that containers begin with are there afterwards.
  virtual void follow(const PodPtr& pod, const cri::RuntimePod& running) = 0;
  // The pod is being stopped: only readiness goes on.
  virtual void stop_liveness(const std::string& pod_uid) = 0;
  virtual void forget(const std::string& pod_uid) = 0;
};

std::unique_ptr<Prober> make_prober(Prober::Context context);

}  // namespace proa::kubelet
