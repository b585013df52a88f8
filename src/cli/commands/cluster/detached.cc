#include "cli/commands/cluster/detached.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/files.h"
#include "base/process/spawn.h"
#include "cli/host/instance_lock.h"
#include "cli/host/rights.h"
#include "cli/server/flags/server_flags.h"

namespace proa::cli {
namespace detached {

constexpr Duration kPollInterval = std::chrono::milliseconds(50);
// Of the log, when the next process starts; the one before is kept.
constexpr off_t kMaxLog = 8 * 1024 * 1024;
constexpr std::string_view kReady = "Ready after ";

// What has been added to a file since the last call.
class Tail {
 public:
  explicit Tail(std::string path) : path_(std::move(path)) {
    struct stat info {};
    if (stat(path_.c_str(), &info) == 0) position_ = info.st_size;
  }
  std::string more() {
    std::ifstream file(path_);
    file.seekg(position_);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    position_ += static_cast<off_t>(text.size());
    return text;
  }

 private:
  const std::string path_;
  off_t position_ = 0;
};

// The end of the line that says that it is ready; npos if there is none yet.
size_t ready_line_end(const std::string& text) {
  size_t begin = text.starts_with(kReady) ? 0 : text.find("\n" + std::string(kReady));
  if (begin == std::string::npos) return begin;
  return text.find('\n', begin + 1);
}

}  // namespace detached

std::vector<std::string> detached_words(const Settings& settings) {
  std::vector<std::string> words{"/proc/self/exe", "up", "--detach=false"};
  for (const auto& [name, value] : settings.all()) {
    if (name == "detach" || name == "config" || value.empty()) continue;
    words.push_back("--" + name + "=" + value);
  }
  return words;
}

std::string command_for(std::string_view command, const Settings& settings) {
  const std::string& folder = settings.text("data-dir");
  const std::string flag = folder == data_dir_flag().fallback ? "" : " --data-dir " + folder;
  return fmt::format("`proa {}{}`", command, flag);
}

Result<void> run_detached(const Settings& settings, Terminal& terminal) {
  TRY(require_root("running containers"));
  if (const auto holder = lock_holder(lock_path(settings.text("data-dir")))) {
    return Status(
        Reason::kConflict,
        fmt::format("already running as process {}; {} shows its state, {} stops it", *holder,
                    command_for("status", settings), command_for("down", settings)));
  }
  SystemFiles files;
  const std::string folder = settings.text("data-dir") + "/log";
  TRY(files.make_dirs(settings.text("data-dir"), 0700));
  TRY(require_private(settings.text("data-dir")));
  TRY(files.make_dirs(folder, 0700));
  const std::string log = folder + "/proa.log";
  struct stat info {};
  if (stat(log.c_str(), &info) == 0 && info.st_size > detached::kMaxLog) {
    std::rename(log.c_str(), (log + ".1").c_str());
  }
  detached::Tail tail(log);
  std::vector<std::string> words = detached_words(settings);
  // The link would lead to the program that is started.
  char path[4096] = "";
  if (readlink(words[0].c_str(), path, sizeof path - 1) > 0) words[0] = path;
  const pid_t pid = TRY(start_detached(words, log));
  const ProcessHandle process = TRY(ProcessHandle::open(pid));
  std::string said;
  size_t shown = 0;
  while (true) {
    const bool ended = process.wait_for_end(detached::kPollInterval);
    said += tail.more();
    const size_t end = detached::ready_line_end(said);
    const size_t until = std::min(end, said.rfind('\n'));
    if (until != std::string::npos && until + 1 > shown) {
      terminal.out(std::string_view(said).substr(shown, until + 1 - shown));
      shown = until + 1;
    }
    if (end != std::string::npos) break;
    if (ended) {
      process.reap();
      return Status(Reason::kInternalError, "the cluster did not start; its output is in " + log);
    }
  }
  terminal.out(fmt::format("Running as process {}; output goes to {}. {} stops it.\n", pid, log,
                           command_for("down", settings)));
  return {};
}

}  // namespace proa::cli
