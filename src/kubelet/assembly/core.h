#pragma once

#include "base/threads/poller.h"
#include "client/events/recorder.h"
#include "client/informer/work_queue.h"
#include "kubelet/assembly/kubelet_context.h"
#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/model/paths.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// A built-in resource of the group "". CHECKs that the schema has it.
const api::Resource& core_resource(const api::Schema& schema, std::string_view name);

// What all other parts of the kubelet build on: the runtime, the cgroups, the queues of the
// workers and the threads that serve them.
struct Core {
  Core(KubeletContext context, std::unique_ptr<Cgroups> cgroups);

  void enqueue(api::UidView uid);
  void enqueue_after(api::UidView uid, Duration delay);
  void enqueue_mirror(const api::PodKey& pod);
  std::function<void(api::UidView uid)> enqueuer() {
    return [this](api::UidView uid) { enqueue(uid); };
  }

  const KubeletContext context;
  // Requested when the kubelet stops: cancels calls in progress.
  std::stop_source shutdown;
  const Paths paths;
  const std::unique_ptr<cri::Runtime> runtime;
  const std::unique_ptr<Cgroups> cgroups;
  // Declared before the queues although it polls what is built on them: adding to a queue
  // wakes it, until the last thread has ended.
  Poller poller;
  // For work that takes as long as a container does. Separate, so that it never holds up the rest.
  WorkerPool waiting;
  client::WorkQueue pods;
  client::WorkQueue mirrors;
  client::EventRecorder events;
};

}  // namespace proa::kubelet
