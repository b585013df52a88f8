#pragma once

#include <string>
#include <string_view>

#include "base/files.h"

// Subpaths of volumes. Pods write to their volumes concurrently and so control what a path in them
// means: no path is resolved twice here.

namespace proa::kubelet {

// Opens `path` in a volume; links that stay inside are followed. Missing folders are created with
// the volume's mode. Never leaves the volume, whatever changes meanwhile.
Result<FileDescriptor> open_sub_path(const std::string& volume, std::string_view path);
// Creates missing folders inside a volume that only we write to.
Result<void> make_folders_inside(int volume, std::string_view path, mode_t mode);

// Mounts exactly what `source` is a descriptor of at `target`, a path of our own. Does nothing if
// that is mounted already; replaces other mounts.
Result<void> bind_sub_path(int source, const std::string& target);

}  // namespace proa::kubelet
