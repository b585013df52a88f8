#include "kubelet/host/mounts/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

namespace proa::kubelet {
namespace folder {

uint64_t resolve_flags(Steps steps) {
  const uint64_t inside = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  switch (steps) {
    case Steps::kLinksInside:
      return inside;
    case Steps::kNoLinks:
      return inside | RESOLVE_NO_SYMLINKS;
    case Steps::kNoLinksNorMounts:
      return inside | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  }
  return inside;
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace folder

Status folder_failure(std::string_view action, const std::string& path, int error) {
  Status status = errno_status(fmt::format("{} {}", action, path), error);
  if (error == ENOENT) return {Reason::kNotFound, status.message()};
  if (error == EEXIST) return {Reason::kAlreadyExists, status.message()};
  return status;
}

int open_inside(int folder, const char* path, int flags, Steps steps) {
  open_how how{};
  how.flags = static_cast<uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
  how.resolve = folder::resolve_flags(steps);
  // The kernel gives up if anything on the machine is renamed during the resolution of "..".
  // Concurrent renames by a user only make this fail.
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const long number = ::syscall(SYS_openat2, folder, path, &how, sizeof(how));
    if (number >= 0) return static_cast<int>(number);
    if (errno != EAGAIN && errno != EINTR) return -1;
  }
  return -1;
}

Result<FileDescriptor> open_folder(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number < 0) return folder_failure("opening", path, errno);
  return FileDescriptor(number);
}

Result<void> make_folders(const std::string& path, mode_t mode) {
  if (folder::is_directory(path)) return {};
  for (size_t slash = path.find('/', 1); true; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) != 0) {
      const int error = errno;
      if (!folder::is_directory(part)) {
        return folder_failure("mkdir", part, error == EEXIST ? ENOTDIR : error);
      }
    }
    if (slash == std::string::npos) return {};
  }
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? std::string(real.get()) : path;
}

Result<void> each_name(int folder, const std::function<bool(const char* name)>& call) {
  // A descriptor of its own: reading moves a position that copies share.
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return errno_status("opening a folder to list it", errno);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(again), ::closedir);
  if (!listing) {
    const int error = errno;
    ::close(again);
    return errno_status("listing a folder", error);
  }
  errno = 0;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !call(entry->d_name)) return {};
    errno = 0;
  }
  if (errno != 0) return errno_status("listing a folder", errno);
  return {};
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

}  // namespace proa::kubelet
