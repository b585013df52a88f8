#pragma once

#include "kubelet/pod/volumes/plugins/plugin.h"

namespace proa::kubelet {

// The content of an image, always read-only. Nothing is mounted on the node: the runtime mounts it
// into each container, once the image is pulled.
Result<MountedVolume> mount_image_volume(const VolumeTools& tools, const VolumeRequest& request);

}  // namespace proa::kubelet
