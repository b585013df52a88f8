#include "lab/machine/cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/process/spawn.h"
#include "base/strings.h"

namespace proa::lab {
namespace cgroups {

constexpr size_t kMaxText = 1 << 20;
constexpr Duration kPatience = std::chrono::seconds(10);
// Processes may fork while others are killed, and the kernel needs a moment after the last exit.
// Each round waits twice as long as the one before.
constexpr int kRounds = 10;
// Of the host's root, version 2: what nodes cannot do without.
constexpr std::string_view kNeeded[] = {"cpu", "memory", "pids"};

// One mount of the hierarchy with these controllers, not attached anywhere.
Result<FileDescriptor> open_detached(const std::string& controllers) {
  const bool v2 = controllers.empty();
  const FileDescriptor context(fsopen(v2 ? "cgroup2" : "cgroup", FSOPEN_CLOEXEC));
  if (!context.valid()) return errno_status("opening the cgroup file system", errno);
  if (!v2) {
    for (const std::string_view part : split(controllers, ',')) {
      const std::string word(part);
      const bool named = word.starts_with("name=");
      const int set = named ? fsconfig(context.get(), FSCONFIG_SET_STRING, "name",
                                       word.c_str() + sizeof("name=") - 1, 0)
                            : fsconfig(context.get(), FSCONFIG_SET_FLAG, word.c_str(), nullptr, 0);
      if (set != 0) return errno_status("choosing the cgroup controller " + word, errno);
    }
    // A hierarchy that has a name only.
    if (controllers.starts_with("name=")) {
      fsconfig(context.get(), FSCONFIG_SET_FLAG, "none", nullptr, 0);
    }
  }
  if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return errno_status("mounting cgroups " + controllers, errno);
  }
  FileDescriptor mount(fsmount(context.get(), FSMOUNT_CLOEXEC, 0));
  if (!mount.valid()) return errno_status("mounting cgroups " + controllers, errno);
  return mount;
}

std::string read_at(int folder, const std::string& path) {
  const FileDescriptor file(openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  ssize_t count = 0;
  while (file.valid() && text.size() < kMaxText &&
         (count = read(file.get(), buffer, sizeof buffer)) > 0) {
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

Result<void> write_at(int folder, const std::string& path, std::string_view text) {
  const FileDescriptor file(openat(folder, path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.valid() && write(file.get(), text.data(), text.size()) >= 0) return {};
  return errno_status("writing to the cgroup file " + path, errno);
}

// The folder and all below it, parents before children.
void collect(int root, const std::string& path, std::vector<std::string>& found) {
  const FileDescriptor file(openat(root, path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid()) return;
  found.push_back(path);
  const std::unique_ptr<DIR, int (*)(DIR*)> listed(fdopendir(dup(file.get())), closedir);
  if (listed == nullptr) return;
  std::vector<std::string> children;
  while (const dirent* entry = readdir(listed.get())) {
    const std::string name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") children.push_back(name);
  }
  for (const std::string& child : children) collect(root, path + "/" + child, found);
}

std::vector<pid_t> processes_in(const CgroupHierarchy& hierarchy, const std::string& path) {
  std::vector<std::string> folders;
  collect(hierarchy.root.get(), path, folders);
  std::vector<pid_t> found;
  for (const std::string& folder : folders) {
    const std::string text = read_at(hierarchy.root.get(), folder + "/cgroup.procs");
    for (const std::string_view line : split(text, '\n')) {
      const auto number = parse_int(line);
      if (number && *number > 0) found.push_back(static_cast<pid_t>(*number));
    }
  }
  return found;
}

// A new cpuset of version 1 has no processors, and takes no process.
Result<void> fill_cpuset(const CgroupHierarchy& hierarchy, const std::string& parent,
                         const std::string& path) {
  const std::vector<std::string_view> parts = split(hierarchy.controllers, ',');
  if (std::ranges::find(parts, "cpuset") == parts.end()) return {};
  for (const char* file : {"cpuset.cpus", "cpuset.mems"}) {
    const std::string above = parent.empty() ? file : parent + "/" + file;
    const std::string text(trim(read_at(hierarchy.root.get(), above)));
    TRY(write_at(hierarchy.root.get(), path + "/" + file, text));
  }
  return {};
}

// Children of `path` get its controllers. Of the host's root only those that are needed.
Result<void> pass_controllers_on(const CgroupHierarchy& hierarchy, const std::string& path) {
  const std::string folder = path.empty() ? "" : path + "/";
  const int root = hierarchy.root.get();
  const std::string available(trim(read_at(root, folder + "cgroup.controllers")));
  const std::string passed(trim(read_at(root, folder + "cgroup.subtree_control")));
  const auto has = [](const std::string& list, std::string_view name) {
    const std::vector<std::string_view> names = split(list, ' ');
    return std::ranges::find(names, name) != names.end();
  };
  for (const std::string_view name : split(available, ' ')) {
    const bool wanted = !path.empty() || std::ranges::find(kNeeded, name) != std::end(kNeeded);
    if (name.empty() || !wanted || has(passed, name)) continue;
    TRY(write_at(root, folder + "cgroup.subtree_control", "+" + std::string(name)));
  }
  return {};
}

// Existing ones are no failure.
Result<void> make_child(const CgroupHierarchy& hierarchy, const std::string& parent,
                        const std::string& child) {
  const bool made = mkdirat(hierarchy.root.get(), child.c_str(), 0755) == 0;
  if (!made && errno != EEXIST) return errno_status("making the cgroup " + child, errno);
  if (made) TRY(fill_cpuset(hierarchy, parent, child));
  return {};
}

Result<void> make_in(const CgroupHierarchy& hierarchy, const std::string& path) {
  std::string parent;
  for (const std::string_view part : split(path, '/')) {
    if (hierarchy.is_v2()) TRY(pass_controllers_on(hierarchy, parent));
    const std::string child = parent.empty() ? std::string(part) : parent + "/" + std::string(part);
    TRY(make_child(hierarchy, parent, child));
    parent = child;
  }
  return {};
}

// False while something keeps them busy.
Result<bool> remove_folders(const CgroupHierarchy& hierarchy, const std::string& path) {
  std::vector<std::string> folders;
  collect(hierarchy.root.get(), path, folders);
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    if (unlinkat(hierarchy.root.get(), folder->c_str(), AT_REMOVEDIR) == 0) continue;
    if (errno == EBUSY || errno == ENOTEMPTY) return false;
    if (errno != ENOENT) return errno_status("removing the cgroup " + *folder, errno);
  }
  return true;
}

Result<void> kill_all(const std::vector<pid_t>& processes) {
  std::vector<ProcessHandle> held;
  for (const pid_t pid : processes) {
    auto process = ProcessHandle::open(pid);
    if (!process.ok()) continue;
    process->signal(SIGKILL);
    held.push_back(std::move(*process));
  }
  for (const ProcessHandle& process : held) {
    if (process.wait_for_end(kPatience)) continue;
    return Status(Reason::kTimeout, "process " + std::to_string(process.pid()) +
                                        " of the lab does not end after SIGKILL");
  }
  return {};
}

}  // namespace cgroups

std::vector<std::string> parse_hierarchies(std::string_view text) {
  std::vector<std::string> found;
  // "4:memory:/path", "0::/path" for version 2.
  for (const std::string_view line : split(text, '\n')) {
    const auto number = split_once(line, ':');
    const auto rest = number ? split_once(number->after, ':') : std::nullopt;
    if (rest) found.emplace_back(rest->before);
  }
  return found;
}

Result<Cgroups> Cgroups::open() {
  SystemFiles files;
  Cgroups opened;
  const std::string text = TRY(files.read_file("/proc/self/cgroup", cgroups::kMaxText));
  for (std::string& controllers : parse_hierarchies(text)) {
    FileDescriptor root = TRY(cgroups::open_detached(controllers));
    opened.hierarchies_.push_back({std::move(controllers), std::move(root)});
  }
  if (opened.hierarchies_.empty()) {
    return Status(Reason::kServiceUnavailable, "this kernel has no cgroups");
  }
  return opened;
}

Result<void> Cgroups::make(const std::string& path) const {
  for (const CgroupHierarchy& each : hierarchies_) TRY(cgroups::make_in(each, path));
  return {};
}

Result<void> Cgroups::make_leaf(const std::string& parent, const std::string& name) const {
  for (const CgroupHierarchy& each : hierarchies_) {
    TRY(cgroups::make_child(each, parent, parent + "/" + name));
  }
  return {};
}

Result<void> Cgroups::join(const std::string& path) const {
  for (const CgroupHierarchy& each : hierarchies_) {
    TRY(cgroups::write_at(each.root.get(), path + "/cgroup.procs", "0"));
  }
  return {};
}

std::vector<pid_t> Cgroups::processes(const std::string& path) const {
  std::vector<pid_t> found;
  for (const CgroupHierarchy& each : hierarchies_) {
    const std::vector<pid_t> more = cgroups::processes_in(each, path);
    found.insert(found.end(), more.begin(), more.end());
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool Cgroups::exists(const std::string& path) const {
  return std::ranges::any_of(hierarchies_, [&](const CgroupHierarchy& each) {
    return faccessat(each.root.get(), path.c_str(), F_OK, 0) == 0;
  });
}

uint64_t Cgroups::memory(const std::string& path) const {
  for (const CgroupHierarchy& each : hierarchies_) {
    const int root = each.root.get();
    const char* file = each.is_v2() ? "/memory.current" : "/memory.usage_in_bytes";
    const auto used = parse_uint(trim(cgroups::read_at(root, path + file)));
    if (!used) continue;
    const std::string numbers = cgroups::read_at(root, path + "/memory.stat");
    const std::string_view name = each.is_v2() ? "inactive_file" : "total_inactive_file";
    for (const std::string_view line : split(numbers, '\n')) {
      const auto halves = split_once(line, ' ');
      const auto idle = halves && halves->before == name ? parse_uint(halves->after) : std::nullopt;
      if (idle) return *used - std::min(*used, *idle);
    }
    return *used;
  }
  return 0;
}

Result<void> Cgroups::remove(const std::string& path) const {
  for (int round = 0; round < cgroups::kRounds; ++round) {
    const std::vector<pid_t> alive = processes(path);
    TRY(cgroups::kill_all(alive));
    bool removed = true;
    for (const CgroupHierarchy& each : hierarchies_) {
      const bool gone = TRY(cgroups::remove_folders(each, path));
      removed = removed && gone;
    }
    if (removed) return {};
    poll(nullptr, 0, 1 << round);
  }
  return Status(Reason::kConflict, "the cgroup " + path + " is still in use");
}

Result<void> mount_cgroups() {
  const Cgroups all = TRY(Cgroups::open());
  const std::string base = "/sys/fs/cgroup";
  const auto attach = [](const CgroupHierarchy& each, const std::string& place) -> Result<void> {
    if (move_mount(each.root.get(), "", AT_FDCWD, place.c_str(), MOVE_MOUNT_F_EMPTY_PATH) == 0) {
      return {};
    }
    return errno_status("mounting cgroups at " + place, errno);
  };
  if (all.is_v2()) return attach(all.hierarchies()[0], base);
  if (mount("tmpfs", base.c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755") != 0) {
    return errno_status("mounting " + base, errno);
  }
  for (const CgroupHierarchy& each : all.hierarchies()) {
    std::string name = each.is_v2() ? "unified" : each.controllers;
    if (name.starts_with("name=")) name = name.substr(sizeof("name=") - 1);
    const std::string place = base + "/" + name;
    if (mkdir(place.c_str(), 0755) != 0) return errno_status("making " + place, errno);
    TRY(attach(each, place));
    const std::vector<std::string_view> parts = split(name, ',');
    if (parts.size() < 2) continue;
    for (const std::string_view part : parts) {
      if (symlink(name.c_str(), (base + "/" + std::string(part)).c_str()) != 0) {
        return errno_status("making " + base + "/" + std::string(part), errno);
      }
    }
  }
  return {};
}

}  // namespace proa::lab
