#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/process/spawn.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"

namespace proa::kubelet {

// Keeps a daemon with a unix socket (containerd) running. It runs in its own session, so that
// neither our exit nor our death affects it or its pods; the next start finds it by its socket and
// pid file, and adopts it. A daemon that dies is restarted, with back-off. One thread, which sleeps
// while the daemon runs.
class Supervisor {
 public:
  struct Options {
    std::vector<std::string> words = {};  // the program's path and its arguments
    std::string socket = {};
    std::string pid_file = {};
    std::string log_file = {};
    // Called before each start, when no process of an earlier daemon is left.
    std::function<void()> before_launch = {};
    Duration start_timeout = std::chrono::seconds(30);
  };
  enum class Found : uint8_t {
    kStarted,  // by this program
    kAdopted,  // by an earlier run of this program
    kForeign,  // started by another process: used, but never stopped
  };

  // Files and clock outlive it.
  Supervisor(Files& files, Clock& clock, Options options);
  // Leaves the daemon running.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Starts the daemon or adopts it, and supervises it from then on. At most once. A failed start
  // reports the last lines of its log.
  Result<Found> start();
  // Stops supervising. The daemon keeps running.
  void leave() EXCLUDES(mutex_);
  // Stops supervising and stops the daemon, with SIGKILL after ten seconds. A daemon of another
  // else is left alone.
  void end() EXCLUDES(mutex_);

  pid_t pid() const EXCLUDES(mutex_);
  // Moves the content of a long log aside; the daemon continues to write to the same file. From any
  // thread.
  void rotate_log() const;

 private:
  bool is_ours(const ProcessHandle& process) const;
  Result<ProcessHandle> find_by_pid_file() const;
  Result<ProcessHandle> launch();
  void await_helpers() const;
  Result<void> await_socket(const ProcessHandle& process);
  void note(const ProcessHandle& process);
  void watch();
  bool pause(Duration time) EXCLUDES(mutex_);
  std::string last_log_lines() const;

  Files& files_;
  Clock& clock_;
  const Options options_;
  FileDescriptor stop_event_;

  mutable Mutex mutex_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  pid_t pid_ GUARDED_BY(mutex_) = -1;

  // Touched by the thread, and by whoever joined it.
  ProcessHandle process_;
  std::jthread thread_;
};

// Stops a supervised daemon without a Supervisor: the process in the pid file, if it is still the
// same one. For the cleanup after a killed program.
Result<void> end_supervised(Files& files, const std::string& pid_file);

}  // namespace proa::kubelet
