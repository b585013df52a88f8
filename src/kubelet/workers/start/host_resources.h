#pragma once

#include "base/threads/deadline.h"
#include "client/events/recorder.h"
#include "kubelet/host/cgroups/cgroups.h"
#include "kubelet/model/mounted_volume.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/node/agent/node_agent.h"
#include "kubelet/pod/volumes/volumes.h"
#include "kubelet/workers/state/share_balancer.h"

namespace proa::kubelet {

// The node's facts for the downward API.
PodFacts pod_facts_for(const NodeAgent& node, const Pod& pod,
                       const std::vector<std::string>& addresses);

// What a pod uses of the host besides its sandbox: a cgroup and mounted volumes.
class HostResources {
 public:
  // Everything outlives it.
  HostResources(Cgroups& cgroups, Volumes& volumes, const ShareBalancer& shares,
                client::EventRecorder& events)
      : cgroups_(cgroups), volumes_(volumes), shares_(shares), events_(events) {}

  struct Prepared {
    std::string cgroup_parent = {};
    MountedVolumes volumes = {};
  };
  // Cheap if all is there already. A failure is recorded as an Event, too.
  Result<Prepared> prepare(const Pod& pod, const PodFacts& facts, const Until& until) const;
  // REQUIRES: nothing of the pod runs.
  Result<void> release(api::UidView uid) const;

 private:
  Cgroups& cgroups_;
  Volumes& volumes_;
  const ShareBalancer& shares_;
  client::EventRecorder& events_;
};

}  // namespace proa::kubelet
