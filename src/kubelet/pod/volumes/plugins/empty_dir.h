#pragma once

#include "kubelet/pod/volumes/plugins/plugin.h"

namespace proa::kubelet {

Result<MountedVolume> mount_empty_dir(const VolumeTools& tools, const VolumeRequest& request);

// How much a tmpfs of a pod may hold: what the pod may have of memory, or the node, or less when
// `limit` (a quantity, may be absent) says so. Zero: nobody says anything.
int64_t memory_volume_size(const Pod& pod, const PodFacts& facts, api::View limit);

// "2Mi": the page size for the medium HugePages or HugePages-2Mi; the pod must have asked for such
// pages, and for one size only where the medium names none.
Result<std::string> huge_page_size(const Pod& pod, std::string_view medium);

// A folder that everybody may write to, whatever our umask is.
Result<void> make_open_folder(const std::string& path);

// The first emptyDir that holds more than its sizeLimit, in upstream's words; empty for none.
Result<std::string> exceeded_empty_dir(const Pod& pod, const Paths& paths);

}  // namespace proa::kubelet
