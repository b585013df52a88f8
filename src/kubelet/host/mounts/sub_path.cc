#include "kubelet/host/mounts/sub_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/strings.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"

namespace proa::kubelet {
namespace sub_path {

Result<FileDescriptor> make_folder(int parent, const std::string& name, mode_t mode) {
  if (::mkdirat(parent, name.c_str(), mode & 0777) != 0) {
    return folder_failure("mkdir", name, errno);
  }
  // It may be something else by now, but no link, and nothing outside.
  FileDescriptor made(
      open_inside(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, Steps::kNoLinks));
  if (!made.valid()) return folder_failure("opening", name, errno);
  if (::fchmod(made.get(), mode) != 0) return folder_failure("chmod", name, errno);
  return made;
}

// Walks as far as there is something; the rest is made.
Result<FileDescriptor> open_or_make(int volume, std::string_view path, mode_t mode) {
  std::string known = ".";
  FileDescriptor at(open_inside(volume, ".", O_PATH | O_DIRECTORY, Steps::kNoLinks));
  if (!at.valid()) return folder_failure("opening", ".", errno);
  bool making = false;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (!making) {
      known.append("/").append(part);
      FileDescriptor next(open_inside(volume, known.c_str(), O_PATH, Steps::kLinksInside));
      if (next.valid()) {
        at = std::move(next);
        continue;
      }
      if (errno != ENOENT) return folder_failure("opening", known, errno);
      making = true;
    }
    at = TRY(make_folder(at.get(), std::string(part), mode));
  }
  return at;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// An empty folder or file: the kernel mounts only on what is of the same kind.
Result<void> make_target(const std::string& target, bool folder) {
  TRY(make_folders(target.substr(0, target.rfind('/')), 0750));
  struct stat there {};
  if (::lstat(target.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode) == folder) return {};
    if (::unlinkat(AT_FDCWD, target.c_str(), folder ? 0 : AT_REMOVEDIR) != 0) {
      return folder_failure("removing", target, errno);
    }
  }
  if (folder) {
    if (::mkdir(target.c_str(), 0750) != 0) return folder_failure("mkdir", target, errno);
    return {};
  }
  const FileDescriptor file(
      ::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640));
  if (!file.valid()) return folder_failure("creating", target, errno);
  return {};
}

}  // namespace sub_path

Result<FileDescriptor> open_sub_path(const std::string& volume, std::string_view path) {
  const FileDescriptor root(::open(volume.c_str(), O_PATH | O_CLOEXEC));
  if (!root.valid()) return folder_failure("opening", volume, errno);
  struct stat info {};
  if (::fstat(root.get(), &info) != 0) return folder_failure("looking at", volume, errno);
  return sub_path::open_or_make(root.get(), path, info.st_mode & 07777);
}

Result<void> make_folders_inside(int volume, std::string_view path, mode_t mode) {
  TRY(sub_path::open_or_make(volume, path, mode));
  return {};
}

Result<void> bind_sub_path(int source, const std::string& target) {
  struct stat wanted {};
  if (::fstat(source, &wanted) != 0) return folder_failure("looking at", target, errno);
  const size_t slash = target.rfind('/');
  bool mounted = TRY(is_mount_point(target));
  while (mounted) {
    struct stat there {};
    if (::lstat(target.c_str(), &there) == 0 && sub_path::is_same_file(there, wanted)) return {};
    TRY(unmount_inside(target.substr(0, slash), target.substr(slash + 1)));
    mounted = TRY(is_mount_point(target));
  }
  TRY(sub_path::make_target(target, S_ISDIR(wanted.st_mode)));
  return bind_mount(source, target);
}

}  // namespace proa::kubelet
