#include "kubelet/pod/volumes/content/ownership.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"
#include "base/log.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/tree_walk.h"

namespace proa::kubelet {
namespace ownership {

const Log kLog{"kubelet"};

// What members of the group must be able to do.
mode_t wanted_bits(const GroupChange& change, bool folder) {
  mode_t bits = change.read_only ? 0440 : 0660;
  if (folder) bits |= 0110;
  return bits;
}

// `file` was opened with O_PATH: a link is changed itself, never what it points to.
bool change_one(int file, const GroupChange& change) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return false;
  bool changed = ::fchownat(file, "", static_cast<uid_t>(-1), change.group,
                            AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) == 0;
  if (S_ISLNK(info.st_mode)) return changed;
  const bool folder = S_ISDIR(info.st_mode);
  mode_t mode = (info.st_mode & 07777) | wanted_bits(change, folder);
  if (folder) mode |= S_ISGID;
  // fchmod() does not take O_PATH; this path refers to exactly that file.
  const std::string path = fmt::format("/proc/self/fd/{}", file);
  changed &= ::chmod(path.c_str(), mode) == 0;
  return changed;
}

bool is_right(const struct stat& info, const GroupChange& change) {
  if (!S_ISDIR(info.st_mode) || info.st_gid != change.group) return false;
  const mode_t bits = wanted_bits(change, true) | S_ISGID;
  return (info.st_mode & bits) == bits;
}

}  // namespace ownership

std::optional<gid_t> group_of_volumes(const Pod& pod) {
  const api::View group = pod.spec()["securityContext"]["fsGroup"];
  if (!group) return std::nullopt;
  return static_cast<gid_t>(group.integer());
}

std::optional<uid_t> user_of_volumes(const Pod& pod) {
  const api::View fallback = pod.spec()["securityContext"]["runAsUser"];
  std::optional<uid_t> user;
  for (const ContainerSpec& container : containers_of(pod)) {
    const api::View own = container.view["securityContext"]["runAsUser"];
    const api::View said = own ? own : fallback;
    if (!said) return std::nullopt;
    const auto number = static_cast<uid_t>(said.integer());
    if (user && *user != number) return std::nullopt;
    user = number;
  }
  return user;
}

Result<void> give_to_group(const std::string& folder, const GroupChange& change) {
  const FileDescriptor root = TRY(open_folder(folder));
  struct stat info {};
  if (::fstat(root.get(), &info) != 0) return folder_failure("looking at", folder, errno);
  if (change.only_on_mismatch && ownership::is_right(info, change)) return {};
  size_t failed = 0;
  TRY(walk_tree(root.get(), [&](const TreeEntry& entry) -> Result<void> {
    const FileDescriptor file(::openat(entry.folder, entry.name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (file.valid() && !ownership::change_one(file.get(), change)) ++failed;
    return {};
  }));
  const FileDescriptor own(::open(folder.c_str(), O_PATH | O_CLOEXEC));
  if (!own.valid() || !ownership::change_one(own.get(), change)) ++failed;
  if (failed != 0) {
    ownership::kLog.warn("changing the group of volume files failed",
                         {{"folder", folder}, {"files", failed}});
  }
  return {};
}

}  // namespace proa::kubelet
