#pragma once

#include "base/files.h"
#include "kubelet/host/machine_facts.h"
#include "kubelet/model/mounted_volume.h"
#include "kubelet/model/options.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/environment/variable.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

struct ContainerInputs {
  const Pod& pod;
  ContainerSpec container = {};
  uint32_t attempt = 0;  // counts its instances; names its log
  int restarts = 0;      // restartCount of the status
  const Paths& paths;
  const MachineFacts& machine;
  cri::Image image = {};       // what it runs, with the user that it wants to be
  std::string image_ref = {};  // the reference that it is created from
  Environment environment = {};
  std::vector<ContainerMount> mounts = {};  // of volumes; the kubelet adds its own
  std::vector<ContainerDevice> devices = {};
  std::string target_id = {};  // of an ephemeral container: the container whose processes it shares
  std::string hostname = {};
  // False while the pod has no address: it gets no hosts file then.
  bool has_hosts_file = true;
};

// A ContainerConfig (schema/cri_v1.schema). Failures are upstream's CreateContainerConfigError:
// "container has runAsNonRoot and image will run as root (...)". REQUIRES at creation:
// prepare_container_files() succeeded, and the hosts file exists.
Result<json::Document> make_container_config(const ContainerInputs& inputs);

// Creates its log folder and an empty termination message file that every user in the container can
// write to.
Result<void> prepare_container_files(Files& files, const ContainerInputs& inputs);

// A LinuxContainerResources, for UpdateContainerResources.
Result<json::Document> make_container_resources(const Pod& pod, api::View container,
                                                const MachineFacts& machine);

// A hash of the fields whose change requires a new container; upstream's are name and image. Eight
// hexadecimal digits.
std::string container_hash(api::View container);

}  // namespace proa::kubelet
