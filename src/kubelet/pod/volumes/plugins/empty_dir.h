#pragma once

#include "kubelet/pod/volumes/plugins/plugin.h"

namespace proa::kubelet {

Result<MountedVolume> mount_empty_dir(const VolumeTools& tools, const VolumeRequest& request);

// The size limit of a pod's tmpfs: the pod's memory limit, or the node's memory, or `limit` (a
// quantity, may be absent) if that is less. Zero: none.
int64_t memory_volume_size(const Pod& pod, const PodFacts& facts, api::View limit);

// "2Mi": the page size for the medium HugePages or HugePages-2Mi; the pod must request such pages,
// and only one size if the medium names none.
Result<std::string> huge_page_size(const Pod& pod, std::string_view medium);

// A folder that everyone can write to, whatever our umask.
Result<void> make_open_folder(const std::string& path);

// The first emptyDir that exceeds its sizeLimit, in upstream's words; empty if none does.
Result<std::string> exceeded_empty_dir(const Pod& pod, const Paths& paths);

}  // namespace proa::kubelet
