#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"
#include "base/threads/mutex.h"

namespace proa::apiserver::audit {

struct RotationOptions {
  std::string path;
  int max_age_days = 366;             // zero: files are not removed by age
  int max_backups = 100;              // zero: files are not removed by number
  uint64_t max_bytes = 100ull << 20;  // zero: no rotation
  bool compresses = false;
};

// A log file that is renamed when it is full: audit.log becomes
// audit-2026-01-02T15-04-05.000.log, with the time of the rotation in UTC, and .gz when compressed.
// Names and rules are those of upstream's log writer, whose files it takes over. One thread.
class RotatingFile {
 public:
  // Creates the file, and its folder for this user alone.
  static Result<std::unique_ptr<RotatingFile>> open(RotationOptions options, const Clock& clock);

  // Writes the lines, each of which stands in one file. After a failure in the middle of a line,
  // the next one begins a line of its own.
  Result<void> write(const std::vector<std::string_view>& lines);
  // Waits until old files are compressed and removed.
  void settle();

 private:
  RotatingFile(RotationOptions options, const Clock& clock)
      : options_(std::move(options)), clock_(clock) {}

  Result<void> open_file();
  Result<void> rotate();
  Result<void> write_all(std::string_view text);
  // Compresses and removes old files, on a thread of its own.
  void clean_up();

  const RotationOptions options_;
  const Clock& clock_;
  FileDescriptor file_;
  uint64_t size_ = 0;
  bool torn_ = false;  // the last line is incomplete
  std::jthread cleaner_;
};

// Which files of a folder are removed and which compressed, given the names that are there.
struct CleanUp {
  std::vector<std::string> remove;
  std::vector<std::string> compress;
};
CleanUp plan_clean_up(const RotationOptions& options, const std::vector<std::string>& names,
                      Time now);
// "audit-2026-01-02T15-04-05.000.log"
std::string backup_name(std::string_view name, Time at);

}  // namespace proa::apiserver::audit
