#include "kubelet/pod/volumes/plugins/local_volume.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "kubelet/host/mounts/mount_table.h"
#include "kubelet/pod/volumes/content/ownership.h"
#include "kubelet/pod/volumes/plugins/host_path.h"

namespace proa::kubelet {
namespace local_volume {

constexpr size_t kMostOfMountTable = size_t{64} << 20;

struct MountOption {
  std::string_view name = {};
  unsigned long flag = 0;
};
// What a bind can be restricted to. Others are of file systems that we do not mount here.
constexpr std::array kOptions = {
    MountOption{"ro", MS_RDONLY},         MountOption{"nosuid", MS_NOSUID},
    MountOption{"nodev", MS_NODEV},       MountOption{"noexec", MS_NOEXEC},
    MountOption{"noatime", MS_NOATIME},   MountOption{"nodiratime", MS_NODIRATIME},
    MountOption{"relatime", MS_RELATIME}, MountOption{"rw", 0},
};

Result<unsigned long> bind_flags(const VolumeRequest& request) {
  unsigned long flags = request.read_only ? MS_RDONLY : 0;
  for (const api::View option : request.persistent["mountOptions"].items()) {
    const auto found =
        std::find_if(kOptions.begin(), kOptions.end(),
                     [&option](const MountOption& known) { return known.name == option.text(); });
    if (found == kOptions.end()) {
      return Status(
          Reason::kInvalid,
          fmt::format("mount option {} is not supported for local volumes", option.text()));
    }
    flags |= found->flag;
  }
  return flags;
}

Result<std::string> path_of(const VolumeRequest& request) {
  std::string path(request.source["path"].text());
  if (path.empty()) {
    return Status(Reason::kInvalid, "local volume source is nil or local path is not set");
  }
  if (has_backsteps(path) || path.find('\0') != std::string::npos) {
    return Status(Reason::kBadRequest, fmt::format("invalid path: {} must not contain '..'", path));
  }
  return path;
}

// A cluster that was restored into another data directory has its volumes there.
std::string moved_path(const VolumeTools& tools, std::string path) {
  if (tools.local_path_root.empty() || file_type(path) != FileType::kNone) return path;
  std::string moved = tools.local_path_root + path.substr(path.rfind('/'));
  return file_type(moved) == FileType::kFolder ? moved : path;
}

// All containers may write to it, whatever their user, as on a fresh volume of other provisioners:
// only pods with the claim can reach it, since the parent directory is root's alone.
Result<void> create_folder(const std::string& path) {
  if (file_type(path) != FileType::kNone) return {};
  const size_t slash = path.rfind('/');
  TRY(make_folders(path.substr(0, slash), 0700));
  // Renamed once its mode is right: an interrupted run must not leave one that few can write to.
  const std::string fresh = path + ".new";
  if (::mkdir(fresh.c_str(), 0700) != 0 && errno != EEXIST) {
    return folder_failure("creating", fresh, errno);
  }
  if (::chmod(fresh.c_str(), 0777) != 0) return folder_failure("creating", fresh, errno);
  if (::rename(fresh.c_str(), path.c_str()) != 0) return folder_failure("creating", path, errno);
  return {};
}

Result<void> check_type(const std::string& path, bool as_device) {
  const FileType type = file_type(path);
  if (type == FileType::kNone) {
    return Status(Reason::kNotFound, fmt::format("path \"{}\" does not exist", path));
  }
  if (as_device && type != FileType::kBlock) {
    return Status(Reason::kInvalid, fmt::format("{} is not a block device", path));
  }
  if (as_device || type == FileType::kFolder) return {};
  if (type == FileType::kBlock) {
    return Status(Reason::kServiceUnavailable,
                  fmt::format("local: block device {} with volumeMode Filesystem is not supported; "
                              "mount it on the node and set the path to the mount point",
                              path));
  }
  return Status(Reason::kInvalid, "only directory and block device are supported");
}

Result<void> bind(const std::string& path, const std::string& target, unsigned long flags) {
  TRY(make_folders(target, 0750));
  const FileDescriptor source(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!source.valid()) return folder_failure("opening", path, errno);
  TRY(bind_mount(source.get(), target));
  if (flags == 0) return {};
  Result<void> restricted = restrict_bind(target, flags);
  // Never with more rights than it should have, not even until the next try.
  if (!restricted.ok()) ::umount2(target.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  return restricted;
}

// Only the first pod changes the owner: others are using it.
Result<bool> has_other_users(const VolumeTools& tools, const std::string& target) {
  SystemFiles files;
  const std::string table = TRY(files.read_file("/proc/self/mountinfo", kMostOfMountTable));
  return is_mounted_elsewhere(read_mount_table(table), real_path(target),
                              real_path(tools.paths.pods()));
}

Result<void> set_group(const VolumeTools& tools, const VolumeRequest& request,
                       const std::string& target) {
  const std::optional<gid_t> group = group_of_volumes(request.pod);
  if (!group) return {};
  const bool shared = TRY(has_other_users(tools, target));
  if (shared) return {};
  const std::string_view policy =
      request.pod.spec()["securityContext"]["fsGroupChangePolicy"].text();
  return give_to_group(target, {.group = *group, .only_on_mismatch = policy == "OnRootMismatch"});
}

}  // namespace local_volume

Result<MountedVolume> mount_local_volume(const VolumeTools& tools, const VolumeRequest& request) {
  std::string path = TRY(local_volume::path_of(request));
  if (request.creates_folder) {
    // Two pods may be the first ones at the same time.
    const MutexLock lock(tools.local_volumes);
    path = local_volume::moved_path(tools, std::move(path));
    TRY(local_volume::create_folder(path));
  }
  TRY(local_volume::check_type(path, request.as_device));
  if (request.as_device) {
    return MountedVolume{.path = path, .read_only = request.read_only, .is_block = true};
  }
  MountedVolume volume{
      .path = tools.paths.volume(request.pod.uid(), kLocalVolumePlugin, request.folder),
      .read_only = request.read_only,
      .selinux_relabel = !request.read_only};
  const unsigned long flags = TRY(local_volume::bind_flags(request));
  const MutexLock lock(tools.local_volumes);
  const bool mounted = TRY(is_mount_point(volume.path));
  if (mounted) return volume;
  TRY(local_volume::bind(path, volume.path, flags));
  if (request.read_only) return volume;
  const Result<void> given = local_volume::set_group(tools, request, volume.path);
  if (given.ok()) return volume;
  // What is mounted counts as done at the next try.
  ::umount2(volume.path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  return given.status();
}

}  // namespace proa::kubelet
