#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "base/threads/deadline.h"
#include "base/threads/mutex.h"
#include "kubelet/runtime/containerd/spawn.h"

namespace proa::kubelet {

// Keeps a daemon with a unix socket (containerd) running. It is started in a session of its own, so
// that our end, however it comes, leaves it and the pods behind it alone; the next start finds it
// by its socket and its pid file, and takes it over. When it dies it is started again, the next
// time a little later. One thread, which sleeps while the daemon lives.
class Supervisor {
 public:
  struct Options {
    std::vector<std::string> words = {};  // the program's path and its arguments
    std::string socket = {};
    std::string pid_file = {};
    std::string log_file = {};
    // Called each time before it is started, when nothing of an earlier one is at work any more.
    std::function<void()> before_launch = {};
    Duration start_timeout = std::chrono::seconds(30);
  };
  enum class Found : uint8_t {
    kStarted,  // by us, now
    kAdopted,  // by an earlier start of ours
    kForeign,  // somebody else's: used, and left alone
  };

  // Files and clock outlive it.
  Supervisor(Files& files, Clock& clock, Options options);
  // Leaves the daemon running.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Has the daemon take connections, and watches over it from then on. At most once. A failure to
  // start ends with the last lines of its log.
  Result<Found> start();
  // Watches no more. The daemon runs on.
  void leave() EXCLUDES(mutex_);
  // Watches no more, and ends the daemon; by force when it does not end within ten seconds.
  // Somebody else's is left alone.
  void end() EXCLUDES(mutex_);

  pid_t pid() const EXCLUDES(mutex_);

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

  // Of the thread, and of whoever joined it.
  ProcessHandle process_;
  std::jthread thread_;
};

// Of the supervised daemon, without a Supervisor: ends what the pid file names, if it is still the
// same process. For who cleans up after a killed one.
Result<void> end_supervised(Files& files, const std::string& pid_file);

}  // namespace proa::kubelet
