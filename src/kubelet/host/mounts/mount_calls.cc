#include "kubelet/host/mounts/mount_calls.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>

#include "base/files.h"
#include "kubelet/host/mounts/folder.h"

namespace proa::kubelet {
namespace mount_calls {

struct Flag {
  unsigned long told = 0;   // by statvfs()
  unsigned long given = 0;  // to mount()
};
// What a remount would take away.
constexpr std::array kFlags = {
    Flag{ST_RDONLY, MS_RDONLY},     Flag{ST_NOSUID, MS_NOSUID},
    Flag{ST_NODEV, MS_NODEV},       Flag{ST_NOEXEC, MS_NOEXEC},
    Flag{ST_NOATIME, MS_NOATIME},   Flag{ST_NODIRATIME, MS_NODIRATIME},
    Flag{ST_RELATIME, MS_RELATIME},
};

unsigned long flags_of(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0) return 0;
  unsigned long flags = 0;
  for (const Flag& flag : kFlags) {
    if ((info.f_flag & flag.told) != 0) flags |= flag.given;
  }
  return flags;
}

}  // namespace mount_calls

Result<bool> is_mount_point(const std::string& path) {
  struct statx info {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &info) !=
      0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return folder_failure("looking at", path, errno);
  }
  return (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

int64_t huge_page_size_at(const std::string& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return 0;
  return static_cast<unsigned long>(info.f_type) == HUGETLBFS_MAGIC ? int64_t{info.f_bsize} : 0;
}

bool is_tmpfs(const std::string& path) {
  struct statfs info {};
  return ::statfs(path.c_str(), &info) == 0 && info.f_type == TMPFS_MAGIC;
}

Result<void> mount_tmpfs(const std::string& folder, int64_t bytes) {
  const std::string size = bytes > 0 ? fmt::format("size={}", bytes) : std::string();
  const std::string unswapped = size.empty() ? "noswap" : size + ",noswap";
  if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, unswapped.c_str()) == 0) return {};
  // Kernels before 6.4 know no "noswap".
  if (errno == EINVAL && ::mount("tmpfs", folder.c_str(), "tmpfs", 0, size.c_str()) == 0) return {};
  return folder_failure("mounting tmpfs on", folder, errno);
}

Result<void> mount_huge_pages(const std::string& folder, const std::string& page_size) {
  const std::string options = "pagesize=" + page_size;
  if (::mount("nodev", folder.c_str(), "hugetlbfs", 0, options.c_str()) == 0) return {};
  return folder_failure("mounting hugetlbfs on", folder, errno);
}

Result<void> bind_mount(int source, const std::string& target) {
  const std::string path = fmt::format("/proc/self/fd/{}", source);
  if (::mount(path.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) == 0) return {};
  return folder_failure("bind mounting on", target, errno);
}

Result<void> restrict_bind(const std::string& target, unsigned long flags) {
  const unsigned long all = MS_BIND | MS_REMOUNT | mount_calls::flags_of(target) | flags;
  if (::mount(nullptr, target.c_str(), nullptr, all, nullptr) == 0) return {};
  return folder_failure("remounting", target, errno);
}

Result<void> unmount_inside(const std::string& root, const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : path.substr(0, slash);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const FileDescriptor top = TRY(open_folder(root));
  const FileDescriptor folder(
      open_inside(top.get(), parent.c_str(), O_PATH | O_DIRECTORY, Steps::kNoLinks));
  if (!folder.valid()) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return folder_failure("opening", root + "/" + parent, errno);
  }
  // Through the folder that was just opened: it cannot be replaced.
  const std::string point = fmt::format("/proc/self/fd/{}/{}", folder.get(), name);
  if (::umount2(point.c_str(), UMOUNT_NOFOLLOW) == 0) return {};
  if (errno == EBUSY && ::umount2(point.c_str(), UMOUNT_NOFOLLOW | MNT_DETACH) == 0) return {};
  if (errno == EINVAL || errno == ENOENT) return {};  // nothing is mounted there
  return folder_failure("unmounting", root + "/" + path, errno);
}

}  // namespace proa::kubelet
