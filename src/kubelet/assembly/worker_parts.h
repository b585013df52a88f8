#pragma once

#include "client/informer/runner.h"
#include "kubelet/assembly/pod_parts.h"
#include "kubelet/workers/housekeeper.h"
#include "kubelet/workers/pod_workers.h"
#include "kubelet/workers/static_pods/mirror_keeper.h"

namespace proa::kubelet {

// What works on the queues: pod workers, the keeper of mirror pods, the housekeeper.
struct WorkerParts {
  // What the workers ask the sources of pods.
  struct Sources {
    ContainerConfigurer::Services services;
    std::function<bool()> services_synced;
    std::function<bool()> pods_synced;
  };
  WorkerParts(Core& core, PodParts& pods, const MachineFacts& machine, const Sources& sources);

  // Cancels calls under way, and waits for the workers.
  void stop();

  Core& core;
  PodParts& pods;
  PodWorkers workers;
  client::Runner runner;
  MirrorKeeper mirrors;
  client::Runner mirror_runner;
  Housekeeper housekeeper;

 private:
  PodWorkers::Context worker_context(const MachineFacts& machine, const Sources& sources);
  Housekeeper::Context housekeeper_context(const Sources& sources);
  PodPtr find_static_pod(const api::PodKey& key) const;
};

}  // namespace proa::kubelet
