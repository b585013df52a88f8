#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/files.h"

// Folders by descriptor: operations through one cannot be redirected by a concurrent rename or
// link.

namespace proa::kubelet {

// "opening /a/b: No such file or directory"; kNotFound and kAlreadyExists for these errors.
Status folder_failure(std::string_view action, const std::string& path, int error);

// What a path may not pass, besides leaving the folder, which is never allowed.
enum class Steps : uint8_t {
  kLinksInside,       // links may be followed that stay in the folder
  kNoLinks,           // no link at all
  kNoLinksNorMounts,  // nor cross into another mount
};
// A descriptor, or -1 with errno. Retries while others rename.
int open_inside(int folder, const char* path, int flags, Steps steps);

// Opens a folder of our own. REQUIRES: no part of the path belongs to another user.
Result<FileDescriptor> open_folder(const std::string& path);
// Like `mkdir -p`. Not synced: after a power loss pods are set up again. The umask applies to
// `mode`.
Result<void> make_folders(const std::string& path, mode_t mode);

// The path without links, as the mount table has it; the path itself if it does not exist.
std::string real_path(const std::string& path);

// Calls for each name except "." and "..", until it returns false. Names may be removed meanwhile.
Result<void> each_name(int folder, const std::function<bool(const char* name)>& call);

// Whether a text can be a file name: not empty, no "/", not "." or "..", no zero byte.
bool is_file_name(std::string_view name);

}  // namespace proa::kubelet
