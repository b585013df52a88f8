#pragma once

#include <functional>

#include "base/files.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/host/machine_facts.h"
#include "kubelet/model/options.h"
#include "kubelet/model/paths.h"
#include "kubelet/node/agent/node_agent.h"
#include "kubelet/pod/container/container_config.h"
#include "kubelet/pod/handlers/hooks.h"
#include "kubelet/pod/handlers/probes/prober.h"
#include "kubelet/pod/status/status_writer.h"
#include "kubelet/pod/volumes/volumes.h"
#include "kubelet/runtime/images/image_puller.h"
#include "kubelet/workers/actions/post_starts.h"
#include "kubelet/workers/actions/stopper.h"
#include "kubelet/workers/registry/allocations.h"
#include "kubelet/workers/registry/registry.h"

namespace proa::kubelet {

// All that the work on a pod needs. Everything outlives the worker.
struct Parts {
  Clock& clock;
  Files& files;
  const KubeletOptions& options;
  const Paths& paths;
  MachineFacts machine;
  cri::Runtime& runtime;
  Registry& registry;
  Allocations& allocations;
  Volumes& volumes;
  Cgroups& cgroups;
  ImagePuller& images;
  Prober& prober;
  ProbeResults& probes;
  PostStarts& post_starts;
  Stopper& stopper;
  StatusWriter& statuses;
  NodeAgent& node;
  client::EventRecorder& events;
  ObjectSource& objects;
  // The services that pods of a namespace are told about.
  std::function<std::vector<api::ObjectPtr>(std::string_view name_space)> services;
  std::function<bool()> services_known;  // whether all of them are
  // The pod of that uid must be looked at.
  std::function<void(const std::string& uid)> look;
  Time started;  // when this kubelet began
};

// What the qualities of service share follows the pods that there are. Before a pod's containers
// begin: all that ask for processors stand in one cgroup, which has hardly any for the first of
// them.
void balance_shares(const Parts& parts);

}  // namespace proa::kubelet
