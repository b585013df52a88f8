#include "kubelet/host/cgroups/removal.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"

namespace proa::kubelet {
namespace removal {

// A killed process may still wait for I/O; this is longer than a disk takes.
constexpr int kPatienceMilliseconds = 10'000;
// Processes may fork while others are killed, and the kernel needs a moment after the last exit.
// Each round waits twice as long as the one before.
constexpr int kRounds = 10;

// A process that can't be mistaken for another one that gets its number later. Invalid: it is gone.
FileDescriptor hold(pid_t process) {
  return FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
}

Result<std::vector<pid_t>> processes_in(Hierarchy& hierarchy,
                                        const std::vector<std::string>& folders) {
  std::vector<pid_t> found;
  for (const std::string& folder : folders) {
    const auto text = hierarchy.read(folder, "cgroup.procs");
    // Threaded cgroups do not list processes; their parent does.
    if (!text) continue;
    for (const std::string_view line : split(*text, '\n')) {
      const auto number = parse_int(line);
      // Zero denotes processes of other PID namespaces.
      if (number && *number > 0 && *number != ::getpid())
        found.push_back(static_cast<pid_t>(*number));
    }
  }
  return found;
}

Result<void> remove_folders(Hierarchy& hierarchy, const std::vector<std::string>& folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    auto removed = hierarchy.remove(*folder);
    if (!removed && !removed.is(Reason::kNotFound)) return removed;
  }
  return {};
}

}  // namespace removal

Result<void> end_processes(const std::vector<pid_t>& processes) {
  std::vector<FileDescriptor> held;
  for (const pid_t process : processes) {
    FileDescriptor handle = removal::hold(process);
    if (!handle.valid()) continue;
    ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
    held.push_back(std::move(handle));
  }
  for (const FileDescriptor& handle : held) {
    pollfd over{handle.get(), POLLIN, 0};
    int ready = 0;
    do {
      ready = ::poll(&over, 1, removal::kPatienceMilliseconds);
    } while (ready < 0 && errno == EINTR);
    if (ready == 0) return Status(Reason::kTimeout, "process did not exit after SIGKILL");
  }
  return {};
}

Result<bool> has_processes(Hierarchy& hierarchy, const std::string& path) {
  const std::vector<std::string> folders = TRY(folders_below(hierarchy, path));
  const std::vector<pid_t> processes = TRY(removal::processes_in(hierarchy, folders));
  return !processes.empty();
}

Result<void> thaw_cgroup(Hierarchy& hierarchy, const std::string& path, std::string_view file,
                         std::string_view thawed) {
  for (const std::string& folder : TRY(folders_below(hierarchy, path))) {
    auto done = write_if_other(hierarchy, folder, file, thawed);
    if (!done && !done.is(Reason::kNotFound)) return done;
  }
  return {};
}

Result<void> remove_cgroup(Hierarchy& hierarchy, const std::string& path) {
  Result<void> removed;
  for (int round = 0; round < removal::kRounds; ++round) {
    const std::vector<std::string> folders = TRY(folders_below(hierarchy, path));
    const std::vector<pid_t> processes = TRY(removal::processes_in(hierarchy, folders));
    if (!processes.empty()) {
      // Version 2 kills all at once, including forks; version 1 has no such file.
      auto killed = hierarchy.write(path, "cgroup.kill", "1");
      if (!killed && !killed.is(Reason::kNotFound)) return killed;
      TRY(end_processes(processes));
    }
    removed = removal::remove_folders(hierarchy, folders);
    if (!removed.is(Reason::kConflict)) return removed;
    ::poll(nullptr, 0, 1 << round);
  }
  return removed;
}

}  // namespace proa::kubelet
