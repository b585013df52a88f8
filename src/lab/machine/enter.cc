#include "lab/machine/enter.h"

#include <fcntl.h>
#include <sched.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/files.h"
#include "base/strings.h"
#include "lab/machine/cgroups.h"
#include "lab/machine/launch.h"
#include "lab/machine/root.h"

namespace proa::lab {
namespace enter {

// Signals to us are for the program; those of the terminal reach it anyway.
pid_t forwarded_to = -1;
void forward(int number) { kill(forwarded_to, number); }

Result<void> join_machine(const LabPaths& lab, const std::string& machine,
                          const ProcessHandle& first) {
  const Cgroups cgroups = TRY(Cgroups::open());
  TRY(cgroups.join(init_cgroup(lab, machine)));
  constexpr int kNamespaces =
      CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWCGROUP;
  if (setns(first.descriptor(), kNamespaces) != 0) {
    return errno_status("entering " + machine, errno);
  }
  if (chdir("/") != 0) return errno_status("entering / of " + machine, errno);
  return {};
}

[[noreturn]] void become(const std::vector<std::string>& words) {
  const char* path = std::getenv("PATH");
  const std::string usual = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  setenv("PATH", (std::string(kMachineFolder) + ":" + (path == nullptr ? usual : path)).c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  constexpr int kNotFound = 127;
  constexpr int kNotRunnable = 126;
  const int code = errno == ENOENT ? kNotFound : kNotRunnable;
  std::fprintf(stderr, "%s: %s\n", arguments[0], std::strerror(errno));
  _exit(code);
}

// Enters the machine, and tells the id of the process that it leaves there, or what failed.
[[noreturn]] void guide(const LabPaths& lab, const std::string& machine, const ProcessHandle& first,
                        const std::function<void()>& work, FileDescriptor tell) {
  const Result<void> joined = join_machine(lab, machine, first);
  const pid_t child = joined.ok() ? fork() : -1;
  if (child == 0) {
    setsid();
    // Locks among them, which would be held as long as this process lives.
    close_range(STDERR_FILENO + 1, ~0U, 0);
    const FileDescriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing.get(), each);
    work();
    _exit(0);
  }
  std::string text = std::to_string(child);
  if (child < 0) text = joined.ok() ? "no process can be started" : joined.status().message();
  _exit(write(tell.get(), text.data(), text.size()) < 0 ? 1 : 0);
}

int code_of(int status) {
  constexpr int kSignalBase = 128;
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace enter

Result<int> run_inside(const LabPaths& lab, const std::string& machine, const ProcessHandle& first,
                       const std::vector<std::string>& words) {
  TRY(enter::join_machine(lab, machine, first));
  const pid_t child = fork();
  if (child < 0) return errno_status("starting " + words[0], errno);
  if (child == 0) enter::become(words);
  enter::forwarded_to = child;
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  std::signal(SIGTERM, enter::forward);
  std::signal(SIGHUP, enter::forward);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno_status("waiting for " + words[0], errno);
  }
  return enter::code_of(status);
}

Result<ProcessHandle> leave_inside(const LabPaths& lab, const std::string& machine,
                                   const ProcessHandle& first, const std::function<void()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno_status("making a pipe", errno);
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  const pid_t guide = fork();
  if (guide < 0) return errno_status("starting a process in " + machine, errno);
  if (guide == 0) enter::guide(lab, machine, first, work, std::move(write_end));
  write_end = {};
  std::string told;
  char buffer[1024];
  ssize_t count = 0;
  while ((count = read(read_end.get(), buffer, sizeof buffer)) > 0) {
    told.append(buffer, static_cast<size_t>(count));
  }
  waitpid(guide, nullptr, 0);
  const auto pid = parse_int(told);
  if (!pid) return Status(Reason::kInternalError, told);
  return ProcessHandle::open(static_cast<pid_t>(*pid));
}

}  // namespace proa::lab
