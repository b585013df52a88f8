#pragma once

#include <string>
#include <string_view>

#include "base/files.h"

// A part of a volume that a container gets mounted. Pods write in their volumes while we look, and
// so decide what any path in them means: nothing here goes by a path twice.

namespace proa::kubelet {

// Opens what `path` names in a volume; links count that stay inside. Folders that are missing are
// made, with the mode that the volume has. Never leaves the volume, whatever others do meanwhile.
Result<FileDescriptor> open_sub_path(const std::string& volume, std::string_view path);
// Folders inside of a volume that is ours, made where they are missing.
Result<void> make_folders_inside(int volume, std::string_view path, mode_t mode);

// Has exactly what `source` is a descriptor of mounted at `target`, a path of our own. Does nothing
// when it is already; takes away what was there else.
Result<void> bind_sub_path(int source, const std::string& target);

}  // namespace proa::kubelet
