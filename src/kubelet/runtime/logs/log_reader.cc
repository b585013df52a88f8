#include "kubelet/runtime/logs/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "api/validation/go_text.h"
#include "base/strings.h"

namespace proa::kubelet {
namespace log_reader {

constexpr size_t kStep = size_t{64} << 10;
// Runtimes break lines long before; whatever is longer is not kept in memory.
constexpr size_t kMaxLine = size_t{4} << 20;
// How often to check whether a container runs. A container that exits closes its log, and then it
// takes moments; this is for the case that it does not.
constexpr Duration kPatience = std::chrono::seconds(10);
constexpr Duration kImpatience = std::chrono::milliseconds(50);
constexpr Duration kMostImpatience = std::chrono::seconds(1);

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

std::string_view name_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

Result<struct stat> look_at(const FileDescriptor& file) {
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return errno_status("reading the state of a log", errno);
  return info;
}

Result<size_t> read_at(const FileDescriptor& file, int64_t offset, char* out, size_t size) {
  while (true) {
    const ssize_t got = ::pread(file.get(), out, size, offset);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) return errno_status("reading a log", errno);
  }
}

// The start of the last `lines` lines. An incomplete line is not counted.
Result<int64_t> tail_start(const FileDescriptor& file, int64_t lines) {
  const struct stat info = TRY(look_at(file));
  std::string block;
  int64_t seen = 0;
  for (int64_t right = info.st_size; right > 0;) {
    const int64_t left = std::max<int64_t>(0, right - static_cast<int64_t>(kStep));
    block.resize(static_cast<size_t>(right - left));
    const size_t got = TRY(read_at(file, left, block.data(), block.size()));
    for (size_t i = got; i > 0; --i) {
      if (block[i - 1] == '\n' && ++seen > lines) return left + static_cast<int64_t>(i);
    }
    right = left;
  }
  return 0;
}

}  // namespace log_reader

Time log_since(std::optional<int64_t> since_seconds, std::optional<Time> since_time, Time now) {
  Time since = Time::min();
  if (since_seconds) {
    // Longer than there are logs.
    constexpr int64_t kMost = int64_t{100} * 365 * 24 * 3600;
    since = now - std::chrono::seconds(std::clamp<int64_t>(*since_seconds, 0, kMost));
  }
  return since_time ? std::max(since, *since_time) : since;
}

LogReader::LogReader(Context context, std::string root, std::string path, LogOptions options)
    : context_(std::move(context)),
      root_(std::move(root)),
      path_(std::move(path)),
      options_(options),
      left_bytes_(options.limit_bytes.value_or(std::numeric_limits<int64_t>::max())),
      left_lines_(options.tail_lines && !options.follow ? *options.tail_lines
                                                        : std::numeric_limits<int64_t>::max()),
      patience_(log_reader::kPatience) {}

Result<std::unique_ptr<LogReader>> LogReader::open(Context context, std::string root,
                                                   std::string path, LogOptions options) {
  std::unique_ptr<LogReader> reader(
      new LogReader(std::move(context), std::move(root), std::move(path), options));
  Result<FileDescriptor> file = reader->open_file();
  if (!file) {
    return file.status().in(fmt::format("failed to try resolving symlinks in path {}",
                                        api::quoted(reader->root_ + "/" + reader->path_)));
  }
  reader->file_ = std::move(*file);
  TRY(reader->find_start());
  return reader;
}

Result<FileDescriptor> LogReader::open_file() const {
  FileDescriptor file =
      TRY(context_.files.open_beneath(root_, path_, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0));
  const struct stat info = TRY(log_reader::look_at(file));
  if (!S_ISREG(info.st_mode)) return Status(Reason::kBadRequest, "not a regular file");
  return file;
}

Result<void> LogReader::find_start() {
  if (options_.tail_lines && *options_.tail_lines >= 0) {
    offset_ = TRY(log_reader::tail_start(file_, *options_.tail_lines));
  }
  ended_ = left_bytes_ <= 0 || left_lines_ <= 0;
  return {};
}

Result<std::optional<Bytes>> LogReader::next(const Until& until) {
  std::string out;
  while (!ended_) {
    const bool more = TRY(read_more());
    TRY(take_lines(out));
    if (!out.empty()) return std::optional<Bytes>(Bytes(std::move(out)));
    if (more || ended_) continue;
    if (TRY(follow_rotation())) continue;
    if (!options_.follow || finishing_) {
      // A line that will not be completed.
      const std::string rest = pending_.substr(taken_);
      pending_.clear();
      taken_ = 0;
      ended_ = true;
      if (rest.empty() || skipping_ || options_.follow) continue;
      TRY(take_line(rest, out));
      if (!out.empty()) return std::optional<Bytes>(Bytes(std::move(out)));
      continue;
    }
    if (!TRY(wait(until))) return std::optional<Bytes>(Bytes());
  }
  return std::optional<Bytes>();
}

Result<bool> LogReader::read_more() {
  pending_.erase(0, taken_);
  taken_ = 0;
  const size_t length = pending_.size();
  pending_.resize(length + log_reader::kStep);
  const Result<size_t> got =
      log_reader::read_at(file_, offset_, pending_.data() + length, log_reader::kStep);
  pending_.resize(length + (got ? *got : 0));
  if (!got) return got.status();
  offset_ += static_cast<int64_t>(*got);
  return *got > 0;
}

Result<void> LogReader::take_lines(std::string& out) {
  while (!ended_) {
    const size_t end = pending_.find('\n', taken_);
    if (end == std::string::npos) break;
    const std::string_view line = std::string_view(pending_).substr(taken_, end + 1 - taken_);
    taken_ = end + 1;
    if (!std::exchange(skipping_, false)) TRY(take_line(line, out));
  }
  if (pending_.size() - taken_ <= log_reader::kMaxLine) return {};
  skipping_ = true;
  taken_ = pending_.size();
  return {};
}

Result<void> LogReader::take_line(std::string_view line, std::string& out) {
  const std::optional<LogLine> parsed = parse_log_line(line);
  if (!parsed) {
    if (known_format_) return {};
    constexpr size_t kShown = 256;
    return Status(Reason::kBadRequest,
                  fmt::format("failed to get parse function: unsupported log format: {}",
                              api::quoted(line.substr(0, kShown))));
  }
  known_format_ = true;
  append(*parsed, out);
  at_line_start_ = parsed->text.empty() || parsed->text.ends_with('\n');
  if (--left_lines_ <= 0) ended_ = true;
  return {};
}

void LogReader::append(const LogLine& line, std::string& out) {
  if (line.time < options_.since) return;
  if (line.is_stderr ? options_.stream == LogStream::kStdout
                     : options_.stream == LogStream::kStderr) {
    return;
  }
  const size_t before = out.size();
  if (options_.timestamps && at_line_start_) {
    out += log_time_text(line.time_text);
    out += ' ';
  }
  out += line.text;
  const auto added = static_cast<int64_t>(out.size() - before);
  if (added >= left_bytes_) {
    out.resize(before + static_cast<size_t>(left_bytes_));
    ended_ = true;
  }
  left_bytes_ -= std::min(added, left_bytes_);
}

// Whether another file has replaced this one, and is read from now on.
Result<bool> LogReader::follow_rotation() {
  if (!options_.follow || !watch_) return false;
  Result<FileDescriptor> now = open_file();
  if (!now) return false;  // moved away, and the next one is not there yet
  const struct stat next = TRY(log_reader::look_at(*now));
  const struct stat current = TRY(log_reader::look_at(file_));
  if (next.st_ino == current.st_ino && next.st_dev == current.st_dev) return false;
  // The old file is complete only once something was written to the new one.
  if (next.st_size == 0 && !finishing_) return false;
  if (current.st_size > offset_) return true;
  file_ = std::move(*now);
  offset_ = 0;
  pending_.clear();
  taken_ = 0;
  skipping_ = false;
  closed_ = false;
  return true;
}

Result<bool> LogReader::wait(const Until& until) {
  if (!watch_) {
    const FileDescriptor folder = TRY(
        context_.files.open_beneath(root_, log_reader::folder_of(path_), O_PATH | O_DIRECTORY, 0));
    watch_.emplace(TRY(FolderWatch::open(folder, context_.clock)));
    return true;  // something may have been written before the watch
  }
  if (!context_.is_running()) {
    finishing_ = true;
    return true;
  }
  if (until.stop.stop_requested()) return false;
  const Steady again = context_.clock.steady() + patience_;
  const FolderWatch::News news =
      TRY(watch_->wait(log_reader::name_of(path_),
                       {.deadline = std::min(again, until.deadline), .stop = until.stop}));
  if (news.closed) closed_ = true;
  if (news.changed || !closed_) {
    patience_ = closed_ ? log_reader::kImpatience : log_reader::kPatience;
  } else {
    patience_ = std::min(patience_ * 2, log_reader::kMostImpatience);
  }
  if (news.changed) return true;
  return !until.stop.stop_requested() && context_.clock.steady() < until.deadline;
}

}  // namespace proa::kubelet
