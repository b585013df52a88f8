#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "client/events/recorder.h"
#include "kubelet/runtime/images/image_puller.h"
#include "kubelet/workers/start/container_configurer.h"
#include "kubelet/workers/start/post_starts.h"
#include "kubelet/workers/state/registry.h"

namespace proa::kubelet {

// What a pod has when its containers can be started.
struct PreparedPod {
  const PodPtr& pod;
  PodMemory& memory;
  MountedVolumes volumes = {};
  json::Document sandbox_config = {};
};

// Starts containers: restart back-off, images, configuration, CreateContainer, StartContainer,
// postStart handler. Records Events.
class ContainerStarter {
 public:
  // See KubeletContext.
  using PrepareNetwork = std::function<Result<void>(
      const Pod& pod, const std::vector<std::string>& addresses, const Until& until)>;
  struct Context {
    Clock& clock;
    const Paths& paths;
    cri::Runtime& runtime;
    Registry& registry;
    ImagePuller& images;
    PostStarts& post_starts;
    client::EventRecorder& events;
    const ContainerConfigurer& configurer;
    PrepareNetwork prepare_network = {};
  };
  // Everything outlives it.
  explicit ContainerStarter(Context context) : context_(std::move(context)) {}

  // Never waits for a pull. If the container cannot be started, the reason goes into the pod's
  // memory, for its status. Returns when to try again; max: an event leads to the next try.
  // REQUIRES: `running` has a ready sandbox. `facts` has the pod's addresses.
  Steady start(const PreparedPod& prepared, const ContainerSpec& container,
               const cri::RuntimePod& running, const PodFacts& facts, const Until& until) const;

 private:
  // The images that the container needs: those that it mounts, whose references go into `volumes`,
  // and the one that it runs, whose state it is if all are ready.
  ImageState ensure_images(const PreparedPod& prepared, const ContainerSpec& container,
                           MountedVolumes& volumes) const;
  // As upstream, the last of several failures counts.
  ImageState ensure_volume_images(const PreparedPod& prepared, const ContainerSpec& container,
                                  MountedVolumes& volumes) const;
  // When the restart back-off ends; nullopt if the container may start now.
  std::optional<Steady> back_off(const PreparedPod& prepared, const ContainerSpec& container,
                                 const cri::RuntimePod& running) const;
  Result<void> prepare_network(const Pod& pod, const PodFacts& facts, const Until& until) const;
  Result<void> remove_created(const cri::RuntimePod& running, std::string_view name,
                              const Until& until) const;
  Result<void> create_and_start(const PreparedPod& prepared, const ContainerSpec& container,
                                const std::string& sandbox_id, const json::Value& config,
                                const std::string& address, const Until& until) const;
  void fail(const PreparedPod& prepared, const ContainerSpec& container, std::string_view reason,
            const std::string& message, const Until& until) const;

  const Context context_;
};

}  // namespace proa::kubelet
