#include "kubelet/runtime/containerd/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/log.h"
#include "base/strings.h"
#include "kubelet/runtime/containerd/socket_check.h"

namespace proa::kubelet {
namespace supervisor {

const Log kLog{"kubelet"};

constexpr Duration kEndPatience = std::chrono::seconds(10);
// A start takes some hundred milliseconds: five more do not matter.
constexpr Duration kLookAgain = std::chrono::milliseconds(5);
// What helpers of a killed daemon (network plugins) may take to come to their end.
constexpr Duration kHelperPatience = std::chrono::seconds(5);
constexpr Duration kFirstPause = std::chrono::milliseconds(100);
constexpr Duration kLongestPause = std::chrono::seconds(30);
// What lived that long did not die of its start.
constexpr Duration kHealthy = std::chrono::minutes(1);
constexpr size_t kMostPidFile = 256;
// Of a log; the one before is kept.
constexpr off_t kMostLog = 8 * 1024 * 1024;

// The daemon may be running and appends to the file, so that it is truncated, not renamed. What it
// writes between copy and truncation is lost.
void turn_over(const std::string& log) {
  struct stat info {};
  if (stat(log.c_str(), &info) != 0 || info.st_size < kMostLog) return;
  std::error_code failed;
  std::filesystem::copy_file(log, log + ".1", std::filesystem::copy_options::overwrite_existing,
                             failed);
  // Without space for the copy, the log goes.
  std::filesystem::resize_file(log, 0, failed);
  if (failed) kLog.warn("rotating a log failed", {{"log", log}, {"error", failed.message()}});
}

// "PID START", as note() wrote it. kNotFound when that process is gone.
Result<ProcessHandle> open_noted(Files& files, const std::string& pid_file) {
  const std::string text = TRY(files.read_file(pid_file, kMostPidFile));
  const auto halves = split_once(trim(text), ' ');
  const auto pid = halves ? parse_int(halves->before) : std::nullopt;
  const auto start = halves ? parse_uint(halves->after) : std::nullopt;
  if (!pid || !start || *pid <= 1) {
    return Status(Reason::kNotFound, pid_file + " contains no process id");
  }
  ProcessHandle process = TRY(ProcessHandle::open(static_cast<pid_t>(*pid)));
  if (process.start_time() != *start) {
    return Status(Reason::kNotFound, "process of " + pid_file + " no longer exists");
  }
  return process;
}

void end_process(const ProcessHandle& process) {
  process.signal(SIGTERM);
  if (!process.wait_for_end(kEndPatience)) {
    process.signal(SIGKILL);
    process.wait_for_end(kEndPatience);
  }
  process.reap();
}

}  // namespace supervisor

Supervisor::Supervisor(Files& files, Clock& clock, Options options)
    : files_(files),
      clock_(clock),
      options_(std::move(options)),
      stop_event_(eventfd(0, EFD_CLOEXEC)) {}

Supervisor::~Supervisor() { leave(); }

// Ours was started with our configuration, whose path is among its words.
bool Supervisor::is_ours(const ProcessHandle& process) const {
  const std::vector<std::string> words = process.words();
  return words.size() == options_.words.size() &&
         std::equal(words.begin() + 1, words.end(), options_.words.begin() + 1);
}

Result<ProcessHandle> Supervisor::find_by_pid_file() const {
  ProcessHandle process = TRY(supervisor::open_noted(files_, options_.pid_file));
  if (!is_ours(process)) {
    return Status(Reason::kNotFound, "process of " + options_.pid_file + " is a different process");
  }
  return process;
}

Result<Supervisor::Found> Supervisor::start() {
  if (const auto listener = who_listens(options_.socket)) {
    auto process = ProcessHandle::open(*listener);
    if (!process || !is_ours(*process)) return Found::kForeign;
    process_ = std::move(*process);
    note(process_);
    thread_ = std::jthread([this] { watch(); });
    return Found::kAdopted;
  }
  Found found = Found::kAdopted;
  auto process = find_by_pid_file();
  // One that does not answer may be about to; one that never does makes room for another.
  if (process.ok() && !await_socket(*process).ok()) {
    supervisor::end_process(*process);
    process = Status(Reason::kNotFound, "ended");
  }
  if (!process.ok()) {
    found = Found::kStarted;
    process = launch();
    if (!process.ok()) return process.status();
    const Result<void> answers = await_socket(*process);
    if (!answers.ok()) {
      supervisor::end_process(*process);
      return answers.status();
    }
  }
  process_ = std::move(*process);
  note(process_);
  thread_ = std::jthread([this] { watch(); });
  return found;
}

Result<ProcessHandle> Supervisor::launch() {
  await_helpers();
  if (options_.before_launch) options_.before_launch();
  supervisor::turn_over(options_.log_file);
  const pid_t pid = TRY(start_detached(options_.words, options_.log_file));
  ProcessHandle process = TRY(ProcessHandle::open(pid));
  // Before it answers: if we are killed now, the next program finds it.
  note(process);
  return process;
}

// A daemon that was killed leaves them at work; what they do for it now would meet with what the
// next one does about the same pods.
void Supervisor::await_helpers() const {
  const auto text = files_.read_file(options_.pid_file, supervisor::kMostPidFile);
  const auto halves = text.ok() ? split_once(trim(*text), ' ') : std::nullopt;
  const auto leader = halves ? parse_int(halves->before) : std::nullopt;
  // A process that has the number now is another one, with a group of its own.
  if (!leader || *leader <= 1 || ProcessHandle::open(static_cast<pid_t>(*leader)).ok()) return;
  if (!await_group_end(static_cast<pid_t>(*leader), clock_, supervisor::kHelperPatience)) {
    supervisor::kLog.warn("processes of an earlier container runtime do not exit",
                          {{"group", *leader}});
  }
}

Result<void> Supervisor::await_socket(const ProcessHandle& process) {
  const Steady deadline = clock_.steady() + options_.start_timeout;
  while (!who_listens(options_.socket)) {
    if (process.wait_for_end(supervisor::kLookAgain)) {
      return Status(Reason::kInternalError,
                    fmt::format("{} exited right after its start; last lines of {}:\n{}",
                                options_.words[0], options_.log_file, last_log_lines()));
    }
    if (clock_.steady() >= deadline) {
      return Status(
          Reason::kTimeout,
          fmt::format("{} does not listen on {} after {}; last lines of {}:\n{}", options_.words[0],
                      options_.socket, format_duration(options_.start_timeout), options_.log_file,
                      last_log_lines()));
    }
  }
  return {};
}

void Supervisor::note(const ProcessHandle& process) {
  const std::string text = fmt::format("{} {}\n", process.pid(), process.start_time());
  const Result<void> written = files_.write_file_atomic(options_.pid_file, text, 0600);
  if (!written.ok()) {
    supervisor::kLog.warn("writing the pid file failed", {{"error", written.status()}});
  }
  MutexLock lock(mutex_);
  pid_ = process.pid();
}

pid_t Supervisor::pid() const {
  MutexLock lock(mutex_);
  return pid_;
}

void Supervisor::watch() {
  Duration pause_before_next = supervisor::kFirstPause;
  Steady started = clock_.steady();
  while (true) {
    std::array<pollfd, 2> watched{
        pollfd{.fd = process_.descriptor(), .events = POLLIN, .revents = 0},
        pollfd{.fd = stop_event_.get(), .events = POLLIN, .revents = 0}};
    if (poll(watched.data(), watched.size(), -1) < 0) continue;
    if (watched[1].revents != 0) return;
    process_.reap();
    if (clock_.steady() - started >= supervisor::kHealthy) {
      pause_before_next = supervisor::kFirstPause;
    }
    supervisor::kLog.warn("container runtime exited",
                          {{"pid", process_.pid()}, {"log", options_.log_file}});
    // Until one is there: a program that is being replaced by a newer one can't be started.
    while (true) {
      if (!pause(pause_before_next)) return;
      pause_before_next = std::min(pause_before_next * 2, supervisor::kLongestPause);
      auto next = launch();
      if (next.ok()) {
        process_ = std::move(*next);
        break;
      }
      supervisor::kLog.error("container runtime start failed", {{"error", next.status()}});
    }
    started = clock_.steady();
    supervisor::kLog.info("container runtime restarted", {{"pid", process_.pid()}});
  }
}

// False when we are to stop.
bool Supervisor::pause(Duration time) {
  const Steady deadline = clock_.steady() + time;
  MutexLock lock(mutex_);
  while (!stopping_ && clock_.steady() < deadline) clock_.wait_until(stopped_, mutex_, deadline);
  return !stopping_;
}

void Supervisor::leave() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  const uint64_t one = 1;
  while (write(stop_event_.get(), &one, sizeof one) < 0 && errno == EINTR) {
  }
  if (thread_.joinable()) thread_.join();
}

void Supervisor::end() {
  leave();
  if (!process_.valid()) return;
  supervisor::end_process(process_);
  process_ = ProcessHandle();
  const Result<void> removed = files_.remove(options_.pid_file);
  if (!removed.ok() && !removed.is(Reason::kNotFound)) {
    supervisor::kLog.warn("removing the pid file failed", {{"error", removed.status()}});
  }
}

void Supervisor::rotate_log() const { supervisor::turn_over(options_.log_file); }

std::string Supervisor::last_log_lines() const {
  constexpr size_t kMostLines = 5;
  constexpr size_t kMostBytes = 16 * 1024 * 1024;
  const auto text = files_.read_file(options_.log_file, kMostBytes);
  if (!text) return text.status().message();
  std::vector<std::string_view> lines = split(trim(*text), '\n');
  if (lines.size() > kMostLines) lines.erase(lines.begin(), lines.end() - kMostLines);
  return join(lines, "\n");
}

Result<void> end_supervised(Files& files, const std::string& pid_file) {
  const auto process = supervisor::open_noted(files, pid_file);
  if (process.is(Reason::kNotFound)) return {};
  if (!process) return process.status();
  supervisor::end_process(*process);
  return files.remove(pid_file);
}

}  // namespace proa::kubelet
