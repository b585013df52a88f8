#include "lab/machine/launch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "base/files.h"
#include "base/strings.h"
#include "lab/machine/cgroups.h"
#include "lab/machine/init.h"
#include "lab/machine/log_end.h"
#include "lab/machine/process.h"
#include "lab/machine/root.h"
#include "lab/network/door.h"
#include "lab/network/wiring.h"

namespace proa::lab {
namespace launch {

constexpr size_t kMaxBytes = 64 * 1024;
constexpr std::string_view kReady = "ready";
constexpr std::string_view kInit = "init";

struct Ends {
  FileDescriptor read = {};
  FileDescriptor write = {};
};

// What the new process needs of the host, opened before it leaves it.
struct Prepared {
  RootSetup root = {};
  Service service = {};
  std::optional<netlink::NetworkNamespace> of_switch = {};
  Door door = {};
  FileDescriptor log = {};
  Ends report = {};
};

Result<std::string> machine_id(Files& files, Random& random, const std::string& path) {
  const auto kept = files.read_file(path, kMaxBytes);
  if (kept.ok()) return std::string(trim(*kept));
  std::string id = make_uid(random);
  std::erase(id, '-');
  TRY(files.write_file_atomic(path, id + "\n", 0644));
  return id;
}

// The port stays the same over restarts: kubeconfigs name it.
Result<Door> prepare_door(Files& files, const LabPaths& lab) {
  const auto kept = files.read_file(lab.door, kMaxBytes);
  const auto port = kept.ok() ? parse_int(trim(*kept)) : std::nullopt;
  Door door = TRY(open_door(static_cast<int>(std::clamp<int64_t>(port.value_or(0), 0, 65535))));
  TRY(files.write_file_atomic(lab.door, std::to_string(door.port) + "\n", 0644));
  return door;
}

Service service_of(Files& files, const LabPaths& lab, const Machine& machine) {
  Service service;
  if (machine.service.empty()) return service;
  service.words = {std::string(kMachineFolder) + "/proa"};
  service.words.insert(service.words.end(), machine.service.begin(), machine.service.end());
  service.environment = {std::string("PATH=") + kMachineFolder +
                             ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                         "HOME=/"};
  const auto token = files.read_file(lab.token, kMaxBytes);
  if (machine.role == Role::kNode && token.ok()) {
    service.environment.push_back("PROA_TOKEN=" + std::string(trim(*token)));
  }
  service.notify = std::string(kMachineFolder) + "/notify";
  return service;
}

Result<Prepared> prepare(const Launch& launch, Random& random) {
  SystemFiles files;
  Prepared made;
  const std::string folder = launch.lab.machine(launch.machine.name);
  const MachinePaths paths = machine_paths(folder);
  for (const std::string* each : {&paths.lib, &paths.var_log, &paths.etc, &paths.etc_work}) {
    TRY(files.make_dirs(*each, 0755));
  }
  TRY(files.make_dirs(paths.tmp, 01777));
  // Whatever the umask is.
  if (chmod(paths.tmp.c_str(), 01777) != 0) return errno_status("opening /tmp to all", errno);
  made.root = {.paths = paths,
               .host_name = launch.machine.name,
               .hosts = launch.plan.hosts,
               .machine_id = TRY(machine_id(files, random, folder + "/machine-id")),
               .boot_id = make_uid(random)};
  made.service = service_of(files, launch.lab, launch.machine);
  made.service.state =
      FileDescriptor(open(paths.service.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!made.service.state.valid()) return errno_status("opening " + paths.service, errno);
  made.log =
      FileDescriptor(open(paths.log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (!made.log.valid()) return errno_status("opening " + paths.log, errno);
  if (launch.machine.role == Role::kSwitch) {
    made.door = TRY(prepare_door(files, launch.lab));
  } else {
    const auto other = find_process(files, machine_paths(launch.lab.machine("switch")).process);
    if (!other.ok()) {
      return Status(Reason::kServiceUnavailable,
                    "the lab's switch does not run; run `proa lab up`");
    }
    made.of_switch =
        TRY(netlink::NetworkNamespace::open(fmt::format("/proc/{}/ns/net", other->pid())));
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno_status("making a pipe", errno);
  made.report = {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  return made;
}

// What is left of an earlier run of this machine goes first.
Result<void> enter_cgroup(const Launch& launch) {
  const Cgroups cgroups = TRY(Cgroups::open());
  const std::string path = machine_cgroup(launch.lab, launch.machine.name);
  TRY(cgroups.remove(path));
  TRY(cgroups.make(path));
  TRY(cgroups.join(path));
  if (unshare(CLONE_NEWCGROUP) != 0) return errno_status("making a cgroup namespace", errno);
  // The node gives controllers to the children of its root, for pods: it must be empty then.
  TRY(cgroups.make_leaf(path, std::string(kInit)));
  return cgroups.join(init_cgroup(launch.lab, launch.machine.name));
}

Result<void> become_machine(const Launch& launch, const Prepared& prepared, Clock& clock) {
  setsid();
  prctl(PR_SET_NAME, "proa-machine");
  if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC) != 0) {
    return errno_status("making namespaces", errno);
  }
  const FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  dup2(prepared.log.get(), STDOUT_FILENO);
  dup2(prepared.log.get(), STDERR_FILENO);
  if (chdir("/") != 0) return errno_status("entering /", errno);
  const std::string& name = launch.machine.name;
  if (sethostname(name.data(), name.size()) != 0) return errno_status("naming the host", errno);
  TRY(build_root(prepared.root));
  if (prepared.of_switch) return wire_machine(launch.machine, *prepared.of_switch, clock);
  return wire_switch(launch.plan, clock);
}

// The life of the first process.
[[noreturn]] void live(const Launch& launch, Prepared& prepared, Clock& clock) {
  prepared.report.read = {};
  const Result<void> made = become_machine(launch, prepared, clock);
  if (!made.ok()) {
    const std::string& text = made.status().message();
    // If nobody reads it, nobody waits for us.
    const ssize_t written = write(prepared.report.write.get(), text.data(), text.size());
    _exit(written < 0 ? 2 : 1);
  }
  if (launch.machine.role == Role::kSwitch) {
    prepared.service.function = [&] {
      prctl(PR_SET_NAME, "proa-door");
      serve_door(prepared.door, {.address = launch.plan.server_address,
                                 .port = kApiPort,
                                 .link = launch.plan.machines[1].cable.port});
    };
  }
  run_init(prepared.service, std::move(prepared.report.write));
  _exit(0);
}

// What the first process reports until it closes the pipe or time is over.
std::string await_report(const Ends& report, const Clock& clock, Duration patience) {
  const Steady deadline = clock.steady() + patience;
  std::string text;
  while (text.size() < kMaxBytes && text != kReady) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.steady());
    pollfd wait{report.read.get(), POLLIN, 0};
    if (left.count() <= 0 || poll(&wait, 1, static_cast<int>(left.count())) == 0) {
      return fmt::format("its service was not ready within {}", format_duration(patience));
    }
    char buffer[1024];
    const ssize_t count = read(report.read.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text.empty() ? "its first process ended" : text;
    text.append(buffer, static_cast<size_t>(count));
  }
  return text;
}

}  // namespace launch

std::string machine_cgroup(const LabPaths& lab, const std::string& machine) {
  return lab.cgroup + "/" + machine;
}

std::string init_cgroup(const LabPaths& lab, const std::string& machine) {
  return machine_cgroup(lab, machine) + "/" + std::string(launch::kInit);
}

Result<void> launch_machine(const Launch& launch, Random& random, Clock& clock) {
  using namespace launch;  // NOLINT: this unit's own
  SystemFiles files;
  Prepared prepared = TRY(prepare(launch, random));
  TRY(enter_cgroup(launch));
  // Of our children. All other namespaces are made by the first process itself: we stay where the
  // lab's folder is.
  if (unshare(CLONE_NEWPID) != 0) return errno_status("making a PID namespace", errno);
  const pid_t pid = fork();
  if (pid < 0) return errno_status("starting the first process", errno);
  if (pid == 0) live(launch, prepared, clock);
  prepared.report.write = {};
  prepared.door = {};
  const ProcessHandle first = TRY(ProcessHandle::open(pid));
  const std::string folder = launch.lab.machine(launch.machine.name);
  TRY(write_process(files, machine_paths(folder).process, first));
  const std::string report = await_report(prepared.report, clock, launch.patience);
  if (report == kReady) return {};
  first.signal(SIGKILL);
  first.wait_for_end(std::chrono::seconds(10));
  first.reap();
  return Status(Reason::kInternalError, report + log_end(files, machine_paths(folder).log));
}

}  // namespace proa::lab
