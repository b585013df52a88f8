#pragma once

#include <functional>

#include "base/files.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "kubelet/cgroups/cgroups.h"
#include "kubelet/container/container_config.h"
#include "kubelet/container/machine_facts.h"
#include "kubelet/hooks/hooks.h"
#include "kubelet/images/image_puller.h"
#include "kubelet/node/node_agent.h"
#include "kubelet/options.h"
#include "kubelet/paths.h"
#include "kubelet/probes/prober.h"
#include "kubelet/resize/allocations.h"
#include "kubelet/status/status_writer.h"
#include "kubelet/volumes/volumes.h"
#include "kubelet/worker/post_starts.h"
#include "kubelet/worker/registry.h"
#include "kubelet/worker/stopper.h"

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
