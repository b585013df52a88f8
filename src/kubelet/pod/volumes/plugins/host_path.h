#pragma once

#include "kubelet/pod/volumes/plugins/plugin.h"

namespace proa::kubelet {

// A path of the host, checked or created according to its type; nothing is mounted.
Result<MountedVolume> mount_host_path(const VolumeTools& tools, const VolumeRequest& request);

enum class FileType : uint8_t { kNone, kFile, kFolder, kSocket, kCharacter, kBlock, kOther };
// Follows links.
FileType file_type(const std::string& path);

// Whether one of its parts is "..".
bool has_backsteps(std::string_view path);

}  // namespace proa::kubelet
