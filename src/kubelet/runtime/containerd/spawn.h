#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace proa::kubelet {

// Where a program of that name lies: in PATH, then where administrators' programs are. Nullopt: not
// on this machine.
std::optional<std::string> find_program(std::string_view name);

// What a program left that ran to its end.
struct Outcome {
  int exit_code = 0;        // 128 and the signal when one ended it
  std::string output = {};  // of both streams, the beginning
};

// Runs a program (`words[0]` is its path) with `input` as its standard input, until it ends. What
// it prints is no failure, nor is its exit code. kTimeout, and it is killed, when it takes longer.
Result<Outcome> run_to_end(const std::vector<std::string>& words, std::string_view input,
                           const Clock& clock, Duration timeout, size_t most_output = 64 * 1024);

// Starts a program that outlives us: in a session of its own, with none of our files and blocked
// signals. What it prints goes to the end of `log`. The caller waits for it, if he is still there.
Result<pid_t> start_detached(const std::vector<std::string>& words, const std::string& log);

// Whoever a program that start_detached() began, and that has ended, started itself in its group
// may still be at work. Waits for their end; false when the time was over first.
bool await_group_end(pid_t leader, const Clock& clock, Duration most);

// One process, ours or not, whatever its number stands for later.
class ProcessHandle {
 public:
  ProcessHandle() = default;
  // kNotFound when there is none.
  static Result<ProcessHandle> open(pid_t pid);

  bool valid() const { return file_.valid(); }
  pid_t pid() const { return pid_; }
  // Readable when the process has ended.
  int descriptor() const { return file_.get(); }
  bool has_ended() const;
  // Until it has ended; false when the time was over first.
  bool wait_for_end(Duration most) const;
  // Those that have ended already take no signal, which is no failure.
  void signal(int number) const;
  // Takes the exit code of a child of ours that has ended, so that it does not stay as a zombie.
  void reap() const;
  // When it was started, in ticks since the machine was: with its number, this names a process for
  // good. Zero when it can't be told any more.
  uint64_t start_time() const;
  // What it was started with.
  std::vector<std::string> words() const;

 private:
  ProcessHandle(FileDescriptor file, pid_t pid) : file_(std::move(file)), pid_(pid) {}
  FileDescriptor file_;
  pid_t pid_ = -1;
};

}  // namespace proa::kubelet
