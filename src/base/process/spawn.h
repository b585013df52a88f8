#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

namespace proa {

// The path of a program: from PATH, then from the sbin folders. Nullopt if it is not installed.
std::optional<std::string> find_program(std::string_view name);

// The result of a program that ran to its end.
struct Outcome {
  int exit_code = 0;        // 128 and the signal when one ended it
  std::string output = {};  // of both streams, the beginning
};

// Runs a program (`words[0]` is its path) with `input` as its standard input, until it exits.
// Neither output nor exit code makes it fail. kTimeout if it takes longer; it is killed then.
Result<Outcome> run_to_end(const std::vector<std::string>& words, std::string_view input,
                           const Clock& clock, Duration timeout, size_t most_output = 64 * 1024);

// Runs `filter` with the open file `input` as its standard input, and `words` on what it writes.
// Otherwise as above. The exit code is that of `words`; if that is zero, the filter's, unless it
// was ended because nobody reads on.
Result<Outcome> run_filtered(const std::vector<std::string>& filter,
                             const std::vector<std::string>& words, int input, const Clock& clock,
                             Duration timeout, size_t most_output = 64 * 1024);

// Starts a program that outlives us: in its own session, without our files and blocked signals. Its
// output is appended to `log`. The caller reaps it, if still running.
Result<pid_t> start_detached(const std::vector<std::string>& words, const std::string& log);

// Processes that a program of start_detached() left in its group may still run after its exit.
// Waits for their exit; false if the time is over first.
bool await_group_end(pid_t leader, const Clock& clock, Duration most);

// One process, ours or not; stays valid if its pid is reused.
class ProcessHandle {
 public:
  ProcessHandle() = default;
  // kNotFound if it does not exist.
  static Result<ProcessHandle> open(pid_t pid);

  bool valid() const { return file_.valid(); }
  pid_t pid() const { return pid_; }
  // Readable once the process has exited.
  int descriptor() const { return file_.get(); }
  bool has_ended() const;
  // Waits for its exit; false if the time is over first.
  bool wait_for_end(Duration most) const;
  // A process that has exited is no failure.
  void signal(int number) const;
  // The same with a value (sigqueue).
  void signal(int number, int value) const;
  // Reaps a child of ours that has exited.
  void reap() const;
  // Its start time in clock ticks since boot: together with the pid, it identifies a process. Zero
  // if it is unknown.
  uint64_t start_time() const;
  // Its command line.
  std::vector<std::string> words() const;

 private:
  ProcessHandle(FileDescriptor file, pid_t pid) : file_(std::move(file)), pid_(pid) {}
  FileDescriptor file_;
  pid_t pid_ = -1;
};

}  // namespace proa
