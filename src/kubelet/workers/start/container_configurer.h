#pragma once

#include <functional>

#include "base/files.h"
#include "kubelet/host/machine_facts.h"
#include "kubelet/model/mounted_volume.h"
#include "kubelet/model/object_source.h"
#include "kubelet/model/options.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/pod/volumes/volumes.h"
#include "kubelet/runtime/cri/runtime_pod.h"
#include "kubelet/runtime/images/image_puller.h"

namespace proa::kubelet {

// Makes the CRI configuration of a container, and the files on the host that it mounts.
class ContainerConfigurer {
 public:
  // The services that pods of a namespace get environment variables for.
  using Services = std::function<std::vector<api::ObjectPtr>(std::string_view name_space)>;

  struct Context {
    Files& files;
    const KubeletOptions& options;
    const Paths& paths;
    const MachineFacts& machine;
    Volumes& volumes;
    ObjectSource& objects;
    Services services;
    std::function<bool()> services_synced;
  };
  // Everything outlives it.
  explicit ContainerConfigurer(Context context) : context_(std::move(context)) {}

  struct Inputs {
    const Pod& pod;
    const ContainerSpec& container;
    const cri::RuntimePod& running;
    const MountedVolumes& volumes;
    const PodFacts& facts;
    const ImageState& image;
    int restarts = 0;
  };
  // A ContainerConfig. Failures have upstream's words for CreateContainerConfigError.
  Result<json::Document> configure(const Inputs& inputs) const;
  // How often the container was started before: as its newest instance knows, or else its logs.
  int count_restarts(const Pod& pod, const ContainerSpec& container,
                     const cri::RuntimePod& running) const;

 private:
  const Context context_;
};

}  // namespace proa::kubelet
