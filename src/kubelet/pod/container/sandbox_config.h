#pragma once

#include "json/value.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/environment/dns.h"

namespace proa::kubelet {

struct SandboxInputs {
  const Pod& pod;
  uint32_t attempt = 0;
  const Paths& paths;
  DnsConfig dns = {};
  PodHostname hostname = {};
  std::string cgroup_parent = {};  // as the runtime takes it
  bool cgroup_v2 = false;
  // Pods on one bridge hear each other: one that advertises itself as router would get what its
  // neighbours send. (CNI's bridge plugin leaves this as the kernel has it.)
  bool ignore_router_advertisements = false;
};

// A PodSandboxConfig (schema/cri_v1.schema): names, labels, log folder, DNS, ports, namespaces,
// security, sysctls.
Result<json::Document> make_sandbox_config(const SandboxInputs& inputs);

}  // namespace proa::kubelet
