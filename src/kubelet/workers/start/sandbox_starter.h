#pragma once

#include <functional>
#include <span>

#include "base/files.h"
#include "client/events/recorder.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/options.h"
#include "kubelet/model/paths.h"
#include "kubelet/pod/environment/dns.h"
#include "kubelet/runtime/cri/runtime.h"
#include "kubelet/workers/state/pod_memory.h"
#include "kubelet/workers/state/registry.h"

namespace proa::kubelet {

// Configures and starts the sandbox of a pod. Failures are recorded as Events, too.
class SandboxStarter {
 public:
  struct Context {
    Files& files;
    const KubeletOptions& options;
    const Paths& paths;
    bool cgroup_v2 = false;
    cri::Runtime& runtime;
    Registry& registry;
    ObjectSource& objects;
    client::EventRecorder& events;
    // Those of a namespace, and whether they are known yet.
    std::function<std::vector<api::ObjectPtr>(std::string_view name_space)> services;
    std::function<bool()> services_synced;
    // Whether the pod network is ours; null: it is not.
    std::function<bool()> own_network = {};
  };
  // Everything outlives it.
  explicit SandboxStarter(Context context) : context_(std::move(context)) {}

  // A PodSandboxConfig.
  Result<json::Document> configure(const Pod& pod, PodMemory& memory, uint32_t attempt,
                                   const std::string& cgroup_parent) const;
  Result<void> start(const Pod& pod, const json::Document& config, const Until& until) const;

 private:
  Result<json::Document> make_config(const Pod& pod, PodMemory& memory, uint32_t attempt,
                                     const std::string& cgroup_parent) const;
  // Each warning once in the life of a pod.
  void warn(const Pod& pod, PodMemory& memory, std::span<const DnsWarning> warnings) const;
  // Addresses of the cluster's DNS for a pod that starts now.
  Result<std::vector<std::string>> cluster_dns(const Pod& pod) const;
  bool ignores_router_advertisements() const;
  // Records the Event; returns the cause.
  Status report(const Pod& pod, const Status& cause) const;

  const Context context_;
};

}  // namespace proa::kubelet
