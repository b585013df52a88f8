#include "lab/machine/root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/files.h"
#include "base/strings.h"
#include "lab/machine/cgroups.h"

namespace proa::lab {
namespace root {

constexpr size_t kMaxMounts = 16 << 20;
// Configuration of the host that is not that of its machines.
constexpr const char* kForeign[] = {"/etc/cni", "/etc/proa"};

Result<void> attach(int tree, const std::string& place) {
  if (move_mount(tree, "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0) return {};
  return errno_status("mounting " + place, errno);
}

// A copy of the mount of that file or folder, for attach().
Result<FileDescriptor> clone_of(const std::string& path) {
  FileDescriptor tree(open_tree(AT_FDCWD, path.c_str(), OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC));
  if (!tree.valid()) return errno_status("opening " + path, errno);
  return tree;
}

Result<void> mount_new(const char* type, const std::string& place, unsigned long flags,
                       const char* options = nullptr) {
  if (mount(type, place.c_str(), type, flags, options) == 0) return {};
  return errno_status(std::string("mounting ") + type + " at " + place, errno);
}

// Takes off what the host has mounted at or below these folders.
Result<void> unmount_host(const std::vector<std::string>& folders) {
  SystemFiles files;
  const std::string table = TRY(files.read_file("/proc/self/mountinfo", kMaxMounts));
  const std::vector<std::string_view> lines = split(table, '\n');
  // The last mounted first.
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::vector<std::string_view> words = split(*line, ' ');
    if (words.size() < 5) continue;
    const std::string point(words[4]);
    for (const std::string& folder : folders) {
      if (point == folder || point.starts_with(folder + "/")) umount2(point.c_str(), MNT_DETACH);
    }
  }
  return {};
}

Result<void> overlay_etc(const MachinePaths& paths) {
  const FileDescriptor context(fsopen("overlay", FSOPEN_CLOEXEC));
  const auto set = [&](const char* key, const std::string& value) {
    return fsconfig(context.get(), FSCONFIG_SET_STRING, key, value.c_str(), 0) == 0;
  };
  const bool made = context.valid() && set("lowerdir", "/etc") && set("upperdir", paths.etc) &&
                    set("workdir", paths.etc_work) &&
                    fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0;
  const FileDescriptor tree(made ? fsmount(context.get(), FSMOUNT_CLOEXEC, 0) : -1);
  if (!tree.valid()) {
    return errno_status("an overlay of /etc with changes in " + paths.etc +
                            " (the file system there must not be an overlay itself)",
                        errno);
  }
  return attach(tree.get(), "/etc");
}

Result<void> write_etc(const RootSetup& setup) {
  SystemFiles files;
  for (const char* folder : kForeign) {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    if (error) return errno_status(std::string("removing ") + folder, error.value());
  }
  TRY(files.make_dirs("/etc/cni/net.d", 0755));
  TRY(files.write_file_atomic("/etc/hosts", setup.hosts, 0644));
  TRY(files.write_file_atomic("/etc/hostname", setup.host_name + "\n", 0644));
  return files.write_file_atomic("/etc/machine-id", setup.machine_id + "\n", 0444);
}

// Shows `text` in a file of the kernel, where that exists.
Result<void> disguise(const std::string& path, const std::string& name, const std::string& text) {
  if (access(path.c_str(), F_OK) != 0) return {};
  SystemFiles files;
  const std::string shown = std::string(kMachineFolder) + "/" + name;
  TRY(files.write_file_atomic(shown, text + "\n", 0444));
  const FileDescriptor tree = TRY(clone_of(shown));
  return attach(tree.get(), path);
}

Result<void> mount_run(int program) {
  TRY(mount_new("tmpfs", "/run", MS_NOSUID | MS_NODEV, "mode=755"));
  SystemFiles files;
  TRY(files.make_dirs(kMachineFolder, 0755));
  TRY(files.make_dirs("/run/lock", 01777));
  const std::string place = std::string(kMachineFolder) + "/proa";
  TRY(files.write_file_atomic(place, "", 0755));
  return attach(program, place);
}

// What is not of a network namespace belongs to the host, and is only read.
Result<void> mount_proc() {
  TRY(mount_new("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC));
  const FileDescriptor settings = TRY(clone_of("/proc/sys"));
  const FileDescriptor network = TRY(clone_of("/proc/sys/net"));
  TRY(attach(settings.get(), "/proc/sys"));
  constexpr unsigned long kReadOnly =
      MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (mount(nullptr, "/proc/sys", nullptr, kReadOnly, nullptr) != 0) {
    return errno_status("making /proc/sys read-only", errno);
  }
  return attach(network.get(), "/proc/sys/net");
}

}  // namespace root

Result<void> build_root(const RootSetup& setup) {
  using namespace root;  // NOLINT: this unit's own
  // What the host unmounts disappears here too; nothing that is mounted here appears there.
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return errno_status("separating mounts from the host's", errno);
  }
  TRY(overlay_etc(setup.paths));
  // Before they are hidden: the lab may be below any of these folders, and so may we.
  const FileDescriptor lib = TRY(clone_of(setup.paths.lib));
  const FileDescriptor log = TRY(clone_of(setup.paths.var_log));
  const FileDescriptor tmp = TRY(clone_of(setup.paths.tmp));
  // By its path: the link itself leads to the host's mount.
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  const FileDescriptor program = TRY(clone_of(path.string()));
  TRY(unmount_host({"/sys", "/run", "/tmp", "/var/lib", "/var/log", "/dev/shm", "/proc"}));
  TRY(mount_proc());
  TRY(attach(lib.get(), "/var/lib"));
  TRY(attach(log.get(), "/var/log"));
  TRY(attach(tmp.get(), "/tmp"));
  TRY(mount_new("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777"));
  TRY(mount_run(program.get()));
  TRY(mount_new("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC));
  TRY(mount_cgroups());
  TRY(write_etc(setup));
  TRY(disguise("/proc/sys/kernel/random/boot_id", "boot-id", setup.boot_id));
  TRY(disguise("/sys/class/dmi/id/product_uuid", "system-id", setup.machine_id));
  // Pods may ask for mounts that appear in the machine (mountPropagation: Bidirectional).
  if (mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) != 0) {
    return errno_status("sharing mounts", errno);
  }
  return {};
}

}  // namespace proa::lab
