#pragma once

#include "kubelet/pod/plan/pod_plan.h"
#include "kubelet/workers/actions/parts.h"

namespace proa::kubelet {

// What a pod has when its containers can be started.
struct Ground {
  const PodPtr& pod;
  PodMemory& memory;
  std::string cgroup_parent = {};
  MountedVolumes volumes = {};
  json::Document sandbox_config = {};
};

// Makes sandboxes and starts containers, one call after the other. Tells by Events what it does.
class Starter {
 public:
  explicit Starter(const Parts& parts) : parts_(parts) {}

  // Everything that containers need besides the sandbox itself.
  Result<Ground> prepare(const PodPtr& pod, PodMemory& memory, uint32_t attempt,
                         const std::vector<std::string>& addresses, const Until& until) const;
  Result<void> make_sandbox(const Ground& ground, const Until& until) const;

  // Where a container can't be started, why goes into the pod's memory: its status says so.
  // When to look again; max: no sooner than something happens.
  Steady start(const Ground& ground, const ContainerSpec& container, const cri::RuntimePod& running,
               const Until& until) const;

  PodFacts facts(const Pod& pod, const std::vector<std::string>& addresses) const;

 private:
  Result<json::Document> sandbox_config(const Pod& pod, uint32_t attempt,
                                        const std::string& cgroup_parent) const;
  // Tells it by an Event; returns the cause.
  Status sandbox_failed(const Pod& pod, const Status& cause) const;
  Result<json::Document> configure(const Ground& ground, const ContainerSpec& container,
                                   const cri::RuntimePod& running, const ImageState& image,
                                   int restarts) const;
  Result<void> create_and_start(const Ground& ground, const ContainerSpec& container,
                                const std::string& sandbox_id, const json::Value& config,
                                const std::string& address, const Until& until) const;
  std::optional<Steady> backs_off(const Ground& ground, const ContainerSpec& container,
                                  const cri::RuntimePod& running) const;
  int restarts(const Pod& pod, const ContainerSpec& container,
               const cri::RuntimePod& running) const;
  void fail(const Ground& ground, const ContainerSpec& container, std::string_view reason,
            const std::string& message, const Until& until) const;

  const Parts& parts_;
};

}  // namespace proa::kubelet
