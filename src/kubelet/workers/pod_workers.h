#pragma once

#include "kubelet/workers/pod_worker.h"

namespace proa::kubelet {

// Creates the parts that work on pods and connects them. Each part keeps references to what it
// needs; none keeps the Context.
class PodWorkers {
 public:
  struct Host {
    Clock& clock;
    Files& files;
    const KubeletOptions& options;
    const Paths& paths;
    MachineFacts machine;
    Cgroups& cgroups;
    Volumes& volumes;
    std::function<bool()> own_network = {};  // of SandboxStarter
  };
  struct Containers {
    cri::Runtime& runtime;
    ImagePuller& images;
    Stopper& stopper;
    PostStarts& post_starts;
    Prober& prober;
    ProbeResults& probes;
    ContainerStarter::PrepareNetwork prepare_network = {};
  };
  struct Api {
    NodeAgent& node;
    client::EventRecorder& events;
    ObjectSource& objects;
    StatusWriter& statuses;
    ContainerConfigurer::Services services;
    std::function<bool()> services_synced;
  };
  struct Context {
    Registry& registry;
    Allocations& allocations;
    Host host;
    Containers containers;
    Api api;
    // Adds a pod to the queue of the workers.
    std::function<void(api::UidView uid)> enqueue;
    const NodeHalt& halt;
    std::stop_token shutdown;
  };
  // Everything outlives it.
  explicit PodWorkers(const Context& context);
  // The parts refer to each other.
  PodWorkers(const PodWorkers&) = delete;
  PodWorkers& operator=(const PodWorkers&) = delete;

  client::Reconciler& worker() { return worker_; }
  const ShareBalancer& shares() const { return shares_; }

 private:
  struct Starting {
    Starting(const Context& context, const MachineFacts& machine, const ShareBalancer& shares);
    const HostResources host;
    const SandboxStarter sandboxes;
    const ContainerConfigurer configurer;
    const ContainerStarter containers;
    const Starter starter;
  };
  struct Stopping {
    Stopping(const Context& context, const HostResources& host);
    const PodStopper stopper;
    const PodRemover remover;
    const OrphanRemover orphans;
  };
  struct Syncing {
    Syncing(const Context& context, const MachineFacts& machine, const ShareBalancer& shares,
            const Starting& starting, const Stopping& stopping);
    const StatusReporter reporter;
    const PodChecks checks;
    const Restarter restarter;
    const Resizer resizer;
    const PodSync sync;
  };
  struct Terminating {
    Terminating(const Context& context, const ShareBalancer& shares, const HostResources& host,
                const Stopping& stopping, const StatusReporter& reporter);
    const PodReleaser releaser;
    const PodTermination termination;
  };

  const MachineFacts machine_;
  const ShareBalancer shares_;
  const Starting starting_;
  const Stopping stopping_;
  const Syncing syncing_;
  const Terminating terminating_;
  PodWorker worker_;
};

}  // namespace proa::kubelet
