#include "kubelet/pod/status/termination_message.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "base/utf8.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::kubelet {
namespace termination_message {

// Upstream's limits.
constexpr size_t kMaxFile = 4096;
constexpr size_t kMaxLogText = 2048;
constexpr size_t kMaxLogLines = 80;
// Enough for that text: a line of a log is 16 KiB long at most.
constexpr size_t kMaxLogRead = size_t{64} * 1024;

std::string_view annotation(const cri::Container& container, std::string_view name) {
  const auto found = container.annotations.find(name);
  return found == container.annotations.end() ? std::string_view() : found->second;
}

struct Tail {
  std::string bytes = {};
  bool whole = true;  // it is the whole file
};

// The end of a file. Anything but a regular file (users write there) counts as empty.
Result<Tail> read_tail(Files& files, const std::string& root, const std::string& path,
                       size_t limit) {
  const FileDescriptor file =
      TRY(files.open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0));
  struct stat about = {};
  if (::fstat(file.get(), &about) != 0) return errno_status("reading the state of " + path, errno);
  if (!S_ISREG(about.st_mode)) return Tail{};
  const auto size = static_cast<size_t>(about.st_size);
  Tail tail{.bytes = std::string(std::min(size, limit), '\0'), .whole = size <= limit};
  size_t filled = 0;
  while (filled < tail.bytes.size()) {
    const auto position = static_cast<off_t>(size - tail.bytes.size() + filled);
    const ssize_t got =
        ::pread(file.get(), tail.bytes.data() + filled, tail.bytes.size() - filled, position);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_status("reading " + path, errno);
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  tail.bytes.resize(filled);
  return tail;
}

// "2026-01-02T15:04:05.1Z stdout F text": the text, with a line end where the line is whole.
void append_text(std::string_view line, std::string& text) {
  for (int skipped = 0; skipped < 2; ++skipped) {
    const auto halves = split_once(line, ' ');
    if (!halves) return;
    line = halves->after;
  }
  const auto halves = split_once(line, ' ');
  if (!halves) return;
  text += halves->after;
  if (halves->before.substr(0, 1) != "P") text += '\n';
}

std::string read_log(Files& files, const Paths& paths, const cri::Container& ended) {
  constexpr std::string_view kFailure = "Error on reading termination message from logs: ";
  const std::string root = paths.logs() + "/";
  if (!ended.log_path.starts_with(root)) return {};
  const auto read = read_tail(files, paths.logs(), ended.log_path.substr(root.size()), kMaxLogRead);
  if (!read.ok()) return std::string(kFailure) + read.status().message();
  std::string_view log = read->bytes;
  if (!read->whole) {
    // The first line lost its beginning.
    const size_t end = log.find('\n');
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
  }
  return tail_of_log(log);
}

}  // namespace termination_message

std::string read_termination_message(Files& files, const Paths& paths, api::UidView pod_uid,
                                     const cri::Container& ended) {
  using namespace termination_message;
  // A container that was never started has no log.
  const bool asks_log = annotation(ended, cri::kTerminationMessagePolicy) ==
                            std::string_view("FallbackToLogsOnError") &&
                        ended.exit_code != 0 && ended.reason != "ContainerCannotRun";
  if (!annotation(ended, cri::kTerminationMessagePath).empty()) {
    const std::string file =
        "containers/" + ended.name + "/" + Paths::termination_file(ended.attempt);
    const auto read = read_tail(files, paths.pod(pod_uid), file, kMaxFile);
    if (!read.ok() && !read.is(Reason::kNotFound)) {
      return "Error on reading termination log " + paths.pod(pod_uid) + "/" + file + ": " +
             read.status().message();
    }
    if (read.ok() && !read->bytes.empty()) return valid_utf8(read->bytes);
  }
  return asks_log ? read_log(files, paths, ended) : std::string();
}

std::string tail_of_log(std::string_view log) {
  using namespace termination_message;
  while (log.ends_with('\n')) log.remove_suffix(1);
  if (log.empty()) return {};
  const std::vector<std::string_view> lines = split(log, '\n');
  std::string text;
  for (size_t index = lines.size() - std::min(lines.size(), kMaxLogLines); index < lines.size();
       ++index) {
    append_text(lines[index], text);
  }
  if (text.size() > kMaxLogText) text.erase(0, text.size() - kMaxLogText);
  return valid_utf8(text);
}

}  // namespace proa::kubelet
