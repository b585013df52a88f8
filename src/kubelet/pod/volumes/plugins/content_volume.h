#pragma once

#include "kubelet/pod/volumes/plugins/plugin.h"

// Volumes whose files come from the API server. Secrets and downward API files are in memory,
// config maps on disk.

namespace proa::kubelet {

Result<MountedVolume> mount_config_map(const VolumeTools& tools, const VolumeRequest& request);
Result<MountedVolume> mount_secret(const VolumeTools& tools, const VolumeRequest& request);
Result<MountedVolume> mount_downward_api(const VolumeTools& tools, const VolumeRequest& request);
Result<MountedVolume> mount_projected(const VolumeTools& tools, const VolumeRequest& request);

std::optional<MountedVolume> existing_config_map(const VolumeTools& tools,
                                                 const VolumeRequest& request);
std::optional<MountedVolume> existing_secret(const VolumeTools& tools,
                                             const VolumeRequest& request);
std::optional<MountedVolume> existing_downward_api(const VolumeTools& tools,
                                                   const VolumeRequest& request);
std::optional<MountedVolume> existing_projected(const VolumeTools& tools,
                                                const VolumeRequest& request);

// Mount points of other volumes inside the volume `name`, relative to it: it is read-only, so the
// folders must exist. Of nested ones only the outermost.
Result<std::vector<std::string>> nested_mount_points(const Pod& pod, std::string_view name);

}  // namespace proa::kubelet
