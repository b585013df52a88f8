#include "base/process/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/strings.h"

extern char** environ;

namespace proa {
namespace spawn {

// Poll interval for the exit of a process group, in milliseconds: there is no event for it.
constexpr int kLookAgain = 5;
// Programs of administrators, which the PATH of a service may lack.
constexpr std::string_view kMorePlaces =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// What the service manager tells this process alone: a program that we start must not answer it.
constexpr std::array<std::string_view, 6> kOwnVariables = {
    "NOTIFY_SOCKET=", "WATCHDOG_PID=", "WATCHDOG_USEC=",
    "LISTEN_PID=",    "LISTEN_FDS=",   "LISTEN_FDNAMES="};

std::vector<char*> environment_of_programs() {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool own = std::any_of(kOwnVariables.begin(), kOwnVariables.end(),
                                 [&](std::string_view name) { return text.starts_with(name); });
    if (!own) variables.push_back(*variable);
  }
  variables.push_back(nullptr);
  return variables;
}

// Arguments of posix_spawn, freed on destruction.
struct Plan {
  Plan() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~Plan() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // We block signals and ignore SIGPIPE; the program starts with the defaults.
  void set_attributes(bool own_session) {
    sigset_t none;
    sigemptyset(&none);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (own_session) flags |= POSIX_SPAWN_SETSID;
    posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  }

  Result<pid_t> start(const std::vector<std::string>& words) {
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const std::vector<char*> environment = environment_of_programs();
    pid_t pid = -1;
    const int failed = posix_spawn(&pid, words[0].c_str(), &actions, &attributes, arguments.data(),
                                   environment.data());
    if (failed != 0) return errno_status("starting " + words[0], failed);
    return pid;
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

struct Pipe {
  FileDescriptor read = {};
  FileDescriptor write = {};
};

// Of sockets, since a write to one can do without SIGPIPE.
Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno_status("creating a socket pair", errno);
  }
  Pipe made;
  made.read = FileDescriptor(ends[0]);
  made.write = FileDescriptor(ends[1]);
  return made;
}

int milliseconds(Duration duration) {
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<int>(std::clamp<int64_t>(rest, 0, 1'000'000'000));
}

// A program's two pipes, served until it closes its output and exits.
class Conversation {
 public:
  Conversation(FileDescriptor to, FileDescriptor from, std::string_view input, size_t most_output)
      : to_(std::move(to)), from_(std::move(from)), input_(input), most_output_(most_output) {
    fcntl(to_.get(), F_SETFL, O_NONBLOCK);
    fcntl(from_.get(), F_SETFL, O_NONBLOCK);
  }

  // False when the time was over first.
  bool serve(const ProcessHandle& process, const Clock& clock, Steady deadline) {
    while (!process_ended_ || from_.valid()) {
      if (input_.empty()) to_ = FileDescriptor();
      std::array<pollfd, 3> watched{
          pollfd{.fd = to_.get(), .events = POLLOUT, .revents = 0},
          pollfd{.fd = from_.get(), .events = POLLIN, .revents = 0},
          pollfd{.fd = process_ended_ ? -1 : process.descriptor(), .events = POLLIN, .revents = 0}};
      const Duration rest = deadline - clock.steady();
      if (rest <= Duration(0)) return false;
      if (poll(watched.data(), watched.size(), milliseconds(rest)) < 0 && errno != EINTR) {
        return false;
      }
      if (watched[0].revents != 0) give();
      if (watched[1].revents != 0) take();
      if (watched[2].revents != 0) end();
    }
    return true;
  }

  std::string& output() { return output_; }

 private:
  void give() {
    const ssize_t written = send(to_.get(), input_.data(), input_.size(), MSG_NOSIGNAL);
    if (written > 0) {
      input_.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EAGAIN && errno != EINTR) {
      input_ = {};  // it has read all that it wanted
    }
  }

  void take() {
    std::array<char, 4096> bytes;
    const ssize_t got = read(from_.get(), bytes.data(), bytes.size());
    if (got > 0) {
      output_.append(bytes.data(),
                     std::min(static_cast<size_t>(got), most_output_ - output_.size()));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      from_ = FileDescriptor();
    }
  }

  // What it started may hold its output open: what is there now is all that we wait for.
  void end() {
    process_ended_ = true;
    input_ = {};
    while (from_.valid()) {
      const size_t before = output_.size();
      take();
      if (output_.size() == before) from_ = FileDescriptor();
    }
  }

  FileDescriptor to_;
  FileDescriptor from_;
  std::string_view input_;
  const size_t most_output_;
  std::string output_;
  bool process_ended_ = false;
};

// With these standard streams.
Result<pid_t> start_with(const std::vector<std::string>& words, int in, int out, int error) {
  Plan plan;
  posix_spawn_file_actions_adddup2(&plan.actions, in, 0);
  posix_spawn_file_actions_adddup2(&plan.actions, out, 1);
  posix_spawn_file_actions_adddup2(&plan.actions, error, 2);
  plan.set_attributes(false);
  return plan.start(words);
}

int exit_code_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// A child that is killed and reaped if it is not waited for.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ < 0) return;
    kill(pid_, SIGKILL);
    exit_code_of(pid_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // It gets a moment to end by itself, and is killed then.
  int end(Duration moment) {
    const auto process = ProcessHandle::open(pid_);
    if (!process || !process->wait_for_end(moment)) kill(pid_, SIGKILL);
    return exit_code_of(std::exchange(pid_, -1));
  }

 private:
  pid_t pid_;
};

// Both ends of a program's standard input, unless that is not ours, and of its output.
struct Pipes {
  Pipe to = {};
  Pipe from = {};
  std::string_view input = {};
  size_t most_output = 0;
};

// Serves the program `name` until it exits.
Result<Outcome> converse(pid_t pid, const std::string& name, Pipes pipes, const Clock& clock,
                         Duration timeout) {
  pipes.to.read = FileDescriptor();
  pipes.from.write = FileDescriptor();
  const auto process = ProcessHandle::open(pid);
  if (!process) {
    kill(pid, SIGKILL);
    exit_code_of(pid);
    return process.status();
  }
  Conversation conversation(std::move(pipes.to.write), std::move(pipes.from.read), pipes.input,
                            pipes.most_output);
  const bool ended = conversation.serve(*process, clock, clock.steady() + timeout);
  if (!ended) process->signal(SIGKILL);
  Outcome outcome;
  outcome.exit_code = exit_code_of(pid);
  outcome.output = std::move(conversation.output());
  if (!ended) {
    return Status(Reason::kTimeout, name + " did not exit within " + format_duration(timeout));
  }
  return outcome;
}

}  // namespace spawn

std::optional<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  const std::string places =
      std::string(path == nullptr ? "" : path) + ":" + std::string(spawn::kMorePlaces);
  for (const std::string_view place : split(places, ':')) {
    // A relative place would depend on where we were started.
    if (!place.starts_with('/')) continue;
    std::string candidate = std::string(place) + "/" + std::string(name);
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

Result<Outcome> run_to_end(const std::vector<std::string>& words, std::string_view input,
                           const Clock& clock, Duration timeout, size_t most_output) {
  spawn::Pipe to = TRY(spawn::make_pipe());
  spawn::Pipe from = TRY(spawn::make_pipe());
  const pid_t pid =
      TRY(spawn::start_with(words, to.read.get(), from.write.get(), from.write.get()));
  return spawn::converse(pid, words[0], {std::move(to), std::move(from), input, most_output}, clock,
                         timeout);
}

Result<Outcome> run_filtered(const std::vector<std::string>& filter,
                             const std::vector<std::string>& words, int input, const Clock& clock,
                             Duration timeout, size_t most_output) {
  // For what it says after its output was closed.
  constexpr Duration kMoment = std::chrono::seconds(1);
  spawn::Pipe between = TRY(spawn::make_pipe());
  spawn::Pipe from = TRY(spawn::make_pipe());
  spawn::Child first(TRY(spawn::start_with(filter, input, between.write.get(), from.write.get())));
  between.write = FileDescriptor();
  const pid_t second =
      TRY(spawn::start_with(words, between.read.get(), from.write.get(), from.write.get()));
  between.read = FileDescriptor();
  Outcome outcome = TRY(
      spawn::converse(second, words[0], {{}, std::move(from), {}, most_output}, clock, timeout));
  const int filtered = first.end(kMoment);
  const bool failed = filtered != 0 && filtered < 128;
  if (outcome.exit_code == 0 && failed) outcome.exit_code = filtered;
  return outcome;
}

Result<pid_t> start_detached(const std::vector<std::string>& words, const std::string& log) {
  spawn::Plan plan;
  posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&plan.actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                   0600);
  posix_spawn_file_actions_adddup2(&plan.actions, 1, 2);
  plan.set_attributes(true);
  return plan.start(words);
}

bool await_group_end(pid_t leader, const Clock& clock, Duration most) {
  const Steady deadline = clock.steady() + most;
  // The id of a group is not reused while one of its processes lives.
  while (kill(-leader, 0) == 0 || errno != ESRCH) {
    if (clock.steady() >= deadline) return false;
    poll(nullptr, 0, spawn::kLookAgain);
  }
  return true;
}

Result<ProcessHandle> ProcessHandle::open(pid_t pid) {
  // The kernel closes it on exec by itself.
  const long file = syscall(SYS_pidfd_open, pid, 0);
  if (file < 0 && (errno == ESRCH || errno == EINVAL)) {
    return Status(Reason::kNotFound, "no such process: " + std::to_string(pid));
  }
  if (file < 0) return errno_status("opening process " + std::to_string(pid), errno);
  return ProcessHandle(FileDescriptor(static_cast<int>(file)), pid);
}

bool ProcessHandle::has_ended() const { return wait_for_end(Duration(0)); }

bool ProcessHandle::wait_for_end(Duration most) const {
  pollfd watched{.fd = file_.get(), .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&watched, 1, spawn::milliseconds(most));
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

void ProcessHandle::signal(int number) const {
  syscall(SYS_pidfd_send_signal, file_.get(), number, nullptr, 0);
}

void ProcessHandle::signal(int number, int value) const {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_int = value;
  syscall(SYS_pidfd_send_signal, file_.get(), number, &info, 0);
}

void ProcessHandle::reap() const {
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG);
}

uint64_t ProcessHandle::start_time() const {
  SystemFiles files;
  const auto text = files.read_file("/proc/" + std::to_string(pid_) + "/stat", 4096);
  if (!text || has_ended()) return 0;
  // The name is in parentheses and may contain some itself; the start time is the 20th field after
  // it.
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos) return 0;
  const auto fields = split(std::string_view(*text).substr(name_end + 1), ' ');
  return fields.size() > 20 ? parse_uint(fields[20]).value_or(0) : 0;
}

std::vector<std::string> ProcessHandle::words() const {
  SystemFiles files;
  const auto text = files.read_file("/proc/" + std::to_string(pid_) + "/cmdline", 64 * 1024);
  std::vector<std::string> words;
  if (!text || has_ended() || text->empty()) return words;
  for (const std::string_view word :
       split(std::string_view(*text).substr(0, text->size() - 1), '\0')) {
    words.emplace_back(word);
  }
  return words;
}

}  // namespace proa
