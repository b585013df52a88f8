#pragma once

#include "kubelet/assembly/core.h"
#include "kubelet/node/agent/node_agent.h"
#include "kubelet/pod/handlers/hooks.h"
#include "kubelet/pod/handlers/probes/prober.h"
#include "kubelet/pod/objects/referenced_objects.h"
#include "kubelet/pod/status/status_writer.h"
#include "kubelet/pod/volumes/volumes.h"
#include "kubelet/runtime/images/image_puller.h"
#include "kubelet/workers/start/post_starts.h"
#include "kubelet/workers/state/allocations.h"
#include "kubelet/workers/state/node_halt.h"
#include "kubelet/workers/state/registry.h"
#include "kubelet/workers/stop/stopper.h"

namespace proa::kubelet {

// What the workers use for all pods: the Node, the objects that pods refer to, volumes, probes,
// images, statuses. Members are in the order in which they need each other.
struct PodParts {
  // `pods_synced`: whether all pods of the API server are in the registry.
  PodParts(Core& core, std::function<bool()> pods_synced);

  // Adds all pods, and the mirrors of static ones, to the queues.
  void enqueue_all();
  // The address of the node; empty while it is unknown.
  std::string host_address() const;

  Core& core;
  const std::unique_ptr<NodeAgent> node;
  ReferencedObjects objects;
  const std::unique_ptr<Volumes> volumes;
  Registry registry;
  NodeHalt halt;
  Allocations allocations;
  ProbeResults probes;
  Hooks hooks;
  const std::unique_ptr<Prober> prober;
  const std::unique_ptr<ImagePuller> images;
  PostStarts post_starts;
  Stopper stopper;
  const std::unique_ptr<StatusWriter> statuses;

 private:
  std::unique_ptr<NodeAgent> make_node();
  std::unique_ptr<Volumes> make_pod_volumes();
  std::unique_ptr<Prober> make_pod_prober();
  std::unique_ptr<ImagePuller> make_puller();
  std::unique_ptr<StatusWriter> make_writer();
};

}  // namespace proa::kubelet
