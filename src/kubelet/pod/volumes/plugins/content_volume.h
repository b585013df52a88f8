#pragma once

#include "kubelet/pod/volumes/plugins/plugin.h"

// Volumes whose files come from the API. Secrets and what pods are told lie in memory, config maps
// on the disk.

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

// Where other volumes are mounted inside of the volume `name`, relative to it: it is read-only, so
// the folders must be there. Of those inside of one another only the outermost.
Result<std::vector<std::string>> nested_mount_points(const Pod& pod, std::string_view name);

}  // namespace proa::kubelet
