#include "kubelet/workers/start/host_resources.h"

#include "kubelet/model/reference.h"

namespace proa::kubelet {

PodFacts pod_facts_for(const NodeAgent& node, const Pod& pod,
                       const std::vector<std::string>& addresses) {
  PodFacts facts = node.facts();
  facts.addresses = pod.uses_host_network() ? facts.host_addresses : addresses;
  return facts;
}

Result<HostResources::Prepared> HostResources::prepare(const Pod& pod, const PodFacts& facts,
                                                       const Until& until) const {
  Result<std::string> parent = cgroups_.ensure(pod);
  if (!parent.ok()) {
    events_.warning(reference_to(pod), "FailedCreatePodContainer",
                    "unable to ensure pod container exists: " + parent.status().message());
    return parent.status();
  }
  shares_.balance();
  Result<MountedVolumes> volumes = volumes_.mount(pod, facts, until);
  if (!volumes.ok()) {
    events_.warning(reference_to(pod), "FailedMount", volumes.status().message());
    return volumes.status();
  }
  return Prepared{.cgroup_parent = std::move(*parent), .volumes = std::move(*volumes)};
}

Result<void> HostResources::release(api::UidView uid) const {
  TRY(volumes_.unmount(uid));
  return cgroups_.remove(uid);
}

}  // namespace proa::kubelet
