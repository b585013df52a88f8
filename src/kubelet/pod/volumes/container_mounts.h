#pragma once

#include <vector>

#include "kubelet/model/mounted_volume.h"
#include "kubelet/model/paths.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/environment/variable.h"

namespace proa::kubelet {

struct MountInputs {
  const Pod& pod;
  api::View container;
  const MountedVolumes& volumes;
  const Environment& environment;
  const Paths& paths;
  bool runtime_knows_recursive_read_only = false;
};

// The volumeMounts of a container, in their order. Failures are upstream's, and reveal nothing
// about the host.
Result<std::vector<ContainerMount>> make_container_mounts(const MountInputs& inputs);
// Its volumeDevices.
Result<std::vector<ContainerDevice>> make_container_devices(api::View container,
                                                            const MountedVolumes& volumes);

}  // namespace proa::kubelet
