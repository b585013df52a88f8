#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/files.h"

// Folders by their descriptors: what is done through one can't be led elsewhere by whoever renames
// or links meanwhile.

namespace proa::kubelet {

// "opening /a/b: No such file or directory"; kNotFound and kAlreadyExists where that is the reason.
Status folder_failure(std::string_view action, const std::string& path, int error);

// Which steps a path may not take, besides leaving the folder, which it never may.
enum class Steps : uint8_t {
  kLinksInside,       // links may be followed that stay in the folder
  kNoLinks,           // no link at all
  kNoLinksNorMounts,  // and into no other file system, nor one that is mounted here once more
};
// A descriptor, or -1 with errno. Tries again while others rename.
int open_inside(int folder, const char* path, int flags, Steps steps);

// A folder that is ours, by a path that we made. REQUIRES: no part of it is somebody else's.
Result<FileDescriptor> open_folder(const std::string& path);
// Folders and those above them, as `mkdir -p`. Nothing is brought to the disk: pods that a power
// loss took are set up again. `mode` is cut by the umask.
Result<void> make_folders(const std::string& path, mode_t mode);

// Without links, as the kernel tells of mounts; the path itself when there is nothing.
std::string real_path(const std::string& path);

// Calls for each name but "." and "..", until it returns false. Names may be removed meanwhile.
Result<void> each_name(int folder, const std::function<bool(const char* name)>& call);

// Whether something can be the name of a file: not empty, no "/", not "." or "..", no zero byte.
bool is_file_name(std::string_view name);

}  // namespace proa::kubelet
