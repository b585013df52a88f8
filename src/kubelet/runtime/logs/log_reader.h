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

// What of a log is wanted (v1.PodLogOptions).
struct LogOptions {
  bool follow = false;
  std::optional<int64_t> tail_lines = {};
  std::optional<int64_t> limit_bytes = {};
  Time since = Time::min();
  bool timestamps = false;
  LogStream stream = LogStream::kAll;
};
// The later one of `sinceSeconds` before now and `sinceTime`.
Time log_since(std::optional<int64_t> since_seconds, std::optional<Time> since_time, Time now);

// Reads the log of one container: the file that it writes to now, and with follow those that come
// after it until the container has ended. What was rotated away before is not read, as upstream
// does not. For one thread that may wait, but for wake().
class LogReader {
 public:
  struct Context {
    Clock& clock;
    Files& files;
    // Whether the container that writes it runs. Asked when nothing is left to read.
    std::function<bool()> is_running;
  };

  // `path` below `root`, the folder of all logs: "shop_web_UID/main/0.log". Links are not followed:
  // a pod that mounts that folder could show itself other files with them.
  static Result<std::unique_ptr<LogReader>> open(Context context, std::string root,
                                                 std::string path, LogOptions options);

  // The next piece, of at most some hundred kilobytes. Empty when `until` came first, nothing at
  // the end. kBadRequest when the file is no log.
  Result<std::optional<Bytes>> next(const Until& until);
  // Has it ask again whether the container runs: somebody heard that it ended.
  void wake() const {
    if (watch_) watch_->wake();
  }

 private:
  LogReader(Context context, std::string root, std::string path, LogOptions options);

  Result<FileDescriptor> open_file() const;
  Result<void> find_start();
  // False at the end of the file, for now.
  Result<bool> read_more();
  Result<void> take_lines(std::string& out);
  Result<void> take_line(std::string_view line, std::string& out);
  void append(const LogLine& line, std::string& out);
  // False when `until` came first.
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
  bool finishing_ = false;  // the container has ended: what is left, and no more
  std::optional<FolderWatch> watch_;
  // Its writer closed it: that is when containers end.
  bool closed_ = false;
  Duration patience_;
};

}  // namespace proa::kubelet
