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
  uint32_t attempt = 0;  // of its creation: names its log
  int restarts = 0;      // what the status says
  const Paths& paths;
  const MachineFacts& machine;
  cri::Image image = {};       // what it runs, with the user that it wants to be
  std::string image_ref = {};  // what the container is created from
  Environment environment = {};
  std::vector<ContainerMount> mounts = {};  // of volumes; those of the kubelet come on top
  std::vector<ContainerDevice> devices = {};
  std::string target_id = {};  // of an ephemeral container: whose processes it sees
  std::string hostname = {};
  // False while the pod has no address: then it gets no hosts file of ours.
  bool has_hosts_file = true;
};

// A ContainerConfig (schema/cri_v1.schema). Failures are upstream's CreateContainerConfigError:
// "container has runAsNonRoot and image will run as root (...)". What prepare_container_files
// makes, and the hosts file, must be there when the container is created.
Result<json::Document> make_container_config(const ContainerInputs& inputs);

// The folder of its log, and an empty file for its termination message, that anybody in the
// container may write to.
Result<void> prepare_container_files(Files& files, const ContainerInputs& inputs);

// A LinuxContainerResources: what update_resources takes for a resize.
Result<json::Document> make_container_resources(const Pod& pod, api::View container,
                                                const MachineFacts& machine);

// What a container was made from, as far as a change of it means a new one: upstream hashes name
// and image. Eight hexadecimal digits.
std::string container_hash(api::View container);

}  // namespace proa::kubelet
