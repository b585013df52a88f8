#pragma once

#include "kubelet/pod/volumes/plugins/plugin.h"

namespace proa::kubelet {

// In the path of a mounted volume: Paths::volume().
inline constexpr std::string_view kLocalVolumePlugin = "local-volume";

// A folder (or, as a device, a disk) of this node that a persistent volume names: bind-mounted into
// the pod's folder.
Result<MountedVolume> mount_local_volume(const VolumeTools& tools, const VolumeRequest& request);

}  // namespace proa::kubelet
