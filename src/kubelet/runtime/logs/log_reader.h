#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/threads/deadline.h"
#include "kubelet/runtime/logs/folder_watch.h"
#include "kubelet/runtime/logs/log_line.h"

namespace proa::kubelet {

enum class LogStream : uint8_t { kAll, kStdout, kStderr };

// What to read of a log (v1.PodLogOptions).
struct LogOptions {
  bool follow = false;
  std::optional<int64_t> tail_lines = {};
  std::optional<int64_t> limit_bytes = {};
  Time since = Time::min();
  bool timestamps = false;
  LogStream stream = LogStream::kAll;
};
// The later of `sinceSeconds` before now and `sinceTime`.
Time log_since(std::optional<int64_t> since_seconds, std::optional<Time> since_time, Time now);

// Reads the log of one container: the current file, and with follow its successors until the
// container exits. Files that were rotated away before are not read, as upstream does not. For one
// thread that may block, except wake().
class LogReader {
 public:
  struct Context {
    Clock& clock;
    Files& files;
    // Whether the container still runs. Called when nothing is left to read.
    std::function<bool()> is_running;
  };

  // `path` below `root`, the folder of all logs: "shop_web_UID/main/0.log". Links are not followed:
  // a pod that mounts that folder could read other files through them.
  static Result<std::unique_ptr<LogReader>> open(Context context, std::string root,
                                                 std::string path, LogOptions options);

  // The next chunk, of some hundred kilobytes at most. Empty if `until` is over first, nullopt at
  // the end. kBadRequest if the file is not a log.
  Result<std::optional<Bytes>> next(const Until& until);
  // Checks again whether the container runs: it may have exited.
  void wake() const {
    if (watch_) watch_->wake();
  }

 private:
  LogReader(Context context, std::string root, std::string path, LogOptions options);

  Result<FileDescriptor> open_file() const;
  Result<void> find_start();
  // False at the current end of the file.
  Result<bool> read_more();
  Result<void> take_lines(std::string& out);
  Result<void> take_line(std::string_view line, std::string& out);
  void append(const LogLine& line, std::string& out);
  // False if `until` is over first.
  Result<bool> wait(const Until& until);
  Result<bool> follow_rotation();

  const Context context_;
  const std::string root_;
  const std::string path_;
  const LogOptions options_;
  FileDescriptor file_;
  int64_t offset_ = 0;
  std::string pending_;    // read and not yet taken
  size_t taken_ = 0;       // of it
  bool skipping_ = false;  // the rest of a line that is longer than any
  bool known_format_ = false;
  bool at_line_start_ = true;  // of the container's own lines
  int64_t left_bytes_;
  int64_t left_lines_;
  bool ended_ = false;      // nothing more is wanted
  bool finishing_ = false;  // the container exited: read the rest and stop
  std::optional<FolderWatch> watch_;
  // Its writer closed it: containers exit then.
  bool closed_ = false;
  Duration patience_;
};

}  // namespace proa::kubelet
