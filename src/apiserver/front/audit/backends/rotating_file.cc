#include "apiserver/front/audit/backends/rotating_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "base/log.h"
#include "http/wire/gzip.h"

namespace proa::apiserver::audit {
namespace rotating_file {

namespace fs = std::filesystem;

const Log kLog{"audit"};

constexpr mode_t kOnlyOwner = 0600;
constexpr std::string_view kCompressed = ".gz";
constexpr size_t kPieceBytes = size_t{1} << 20;  // compressed at once
constexpr size_t kWriteBytes = size_t{256} << 10;
constexpr std::string_view kTimeForm = "0000-00-00T00-00-00.000";

struct NameParts {
  std::string before;  // "audit-"
  std::string after;   // ".log"
};

NameParts parts_of(std::string_view name) {
  const size_t dot = name.rfind('.');
  const size_t end = dot == std::string_view::npos ? name.size() : dot;
  return {std::string(name.substr(0, end)) + "-", std::string(name.substr(end))};
}

// "2026-01-02T15-04-05.000", in UTC. Such texts sort by time.
std::string stamp_of(Time at) {
  std::string stamp = format_micro_time(at);
  stamp.resize(kTimeForm.size());
  for (const size_t colon : {13u, 16u}) stamp[colon] = '-';
  return stamp;
}

bool is_stamp(std::string_view text) {
  if (text.size() != kTimeForm.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kTimeForm[i] == '0' ? !digit : text[i] != kTimeForm[i]) return false;
  }
  return true;
}

// The stamp in the name of a backup; nullopt: it is none.
std::optional<std::string_view> find_stamp(std::string_view name, const NameParts& parts) {
  if (name.ends_with(kCompressed) && !parts.after.ends_with(kCompressed))
    name.remove_suffix(kCompressed.size());
  if (!name.starts_with(parts.before) || !name.ends_with(parts.after)) return std::nullopt;
  if (name.size() < parts.before.size() + parts.after.size()) return std::nullopt;
  name.remove_prefix(parts.before.size());
  name.remove_suffix(parts.after.size());
  return is_stamp(name) ? std::optional(name) : std::nullopt;
}

// Piece by piece: parts in gzip's format make one file in that format.
Result<void> compress(const fs::path& path) {
  const fs::path target = path.string() + std::string(kCompressed);
  std::ifstream in(path, std::ios::binary);
  // An earlier attempt may have left it.
  ::unlink(target.c_str());
  FileDescriptor out(::open(target.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOnlyOwner));
  if (!in || !out.valid()) return errno_status("compressing " + path.string(), errno);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) ::fchmod(out.get(), status.st_mode & 0777);
  std::string piece(kPieceBytes, '\0');
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() > 0) {
    const std::string packed =
        http::gzip(std::string_view(piece).substr(0, static_cast<size_t>(in.gcount())));
    for (std::string_view rest = packed; !rest.empty();) {
      const ssize_t written = ::write(out.get(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        const Status failed = errno_status("compressing " + path.string(), errno);
        ::unlink(target.c_str());
        return failed;
      }
      rest.remove_prefix(static_cast<size_t>(written));
    }
  }
  std::error_code ignored;
  fs::remove(path, ignored);
  return {};
}

void clean_folder(const RotationOptions& options, Time now) {
  const fs::path folder = fs::path(options.path).parent_path();
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file(error)) names.push_back(entry->path().filename().string());
  }
  const CleanUp plan = plan_clean_up(options, names, now);
  for (const std::string& name : plan.remove) fs::remove(folder / name, error);
  for (const std::string& name : plan.compress) {
    if (const Result<void> done = compress(folder / name); !done)
      kLog.warn("compressing an old audit log failed", {{"error", done.status()}});
  }
}

}  // namespace rotating_file

std::string backup_name(std::string_view name, Time at) {
  const rotating_file::NameParts parts = rotating_file::parts_of(name);
  return parts.before + rotating_file::stamp_of(at) + parts.after;
}

CleanUp plan_clean_up(const RotationOptions& options, const std::vector<std::string>& names,
                      Time now) {
  using namespace rotating_file;  // NOLINT: of this file only
  const NameParts parts = parts_of(fs::path(options.path).filename().string());
  struct Backup {
    std::string_view stamp;
    const std::string* name;
  };
  std::vector<Backup> backups;
  for (const std::string& name : names) {
    if (const auto stamp = find_stamp(name, parts)) backups.push_back({*stamp, &name});
  }
  std::ranges::stable_sort(backups,
                           [](const Backup& a, const Backup& b) { return a.stamp > b.stamp; });
  const std::string oldest = stamp_of(now - std::chrono::hours(24) * options.max_age_days);
  CleanUp plan;
  // One that is there compressed and uncompressed counts once.
  std::set<std::string_view> kept;
  for (const Backup& backup : backups) {
    kept.insert(backup.stamp);
    const bool too_many =
        options.max_backups > 0 && kept.size() > static_cast<size_t>(options.max_backups);
    const bool too_old = options.max_age_days > 0 && backup.stamp < oldest;
    if (too_many || too_old) {
      plan.remove.push_back(*backup.name);
    } else if (options.compresses && !backup.name->ends_with(kCompressed)) {
      plan.compress.push_back(*backup.name);
    }
  }
  return plan;
}

Result<std::unique_ptr<RotatingFile>> RotatingFile::open(RotationOptions options,
                                                         const Clock& clock) {
  std::unique_ptr<RotatingFile> file(new RotatingFile(std::move(options), clock));
  SystemFiles files;
  const std::string folder = rotating_file::fs::path(file->options_.path).parent_path().string();
  if (!folder.empty()) TRY(files.make_dirs(folder, 0700));
  TRY(file->open_file());
  file->clean_up();
  return file;
}

Result<void> RotatingFile::open_file() {
  file_ = FileDescriptor(::open(options_.path.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC,
                                rotating_file::kOnlyOwner));
  if (!file_.valid()) return errno_status("opening " + options_.path, errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return errno_status("opening " + options_.path, errno);
  size_ = static_cast<uint64_t>(status.st_size);
  return {};
}

Result<void> RotatingFile::rotate() {
  namespace fs = rotating_file::fs;
  struct stat status {};
  const bool known = file_.valid() && ::fstat(file_.get(), &status) == 0;
  const fs::path path(options_.path);
  Time at = clock_.now();
  fs::path backup = path.parent_path() / backup_name(path.filename().string(), at);
  // Another one of this millisecond.
  for (std::error_code error; fs::exists(backup, error);) {
    at += std::chrono::milliseconds(1);
    backup = path.parent_path() / backup_name(path.filename().string(), at);
  }
  if (::rename(path.c_str(), backup.c_str()) != 0 && errno != ENOENT)
    return errno_status("renaming " + options_.path, errno);
  TRY(open_file());
  // The new file is readable by whom the old one was: a program may collect it.
  if (known) {
    (void)!::fchown(file_.get(), status.st_uid, status.st_gid);
    (void)!::fchmod(file_.get(), status.st_mode & 0777);
  }
  torn_ = false;
  clean_up();
  return {};
}

Result<void> RotatingFile::write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file_.get(), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const Status failed = errno_status("writing " + options_.path, errno);
      return failed;
    }
    size_ += static_cast<uint64_t>(written);
    torn_ = text[static_cast<size_t>(written) - 1] != '\n';
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<void> RotatingFile::write(const std::vector<std::string_view>& lines) {
  if (!file_.valid()) TRY(open_file());
  std::string pending;
  if (torn_) pending += '\n';
  const bool rotates = options_.max_bytes > 0;
  Result<void> outcome;
  for (const std::string_view line : lines) {
    const uint64_t length = line.size() + 1;
    if (rotates && length > options_.max_bytes) {
      outcome = Status(Reason::kRequestEntityTooLarge, "write length " + std::to_string(length) +
                                                           " exceeds maximum file size " +
                                                           std::to_string(options_.max_bytes));
      continue;
    }
    const bool full = rotates && size_ + pending.size() + length > options_.max_bytes;
    if (full || pending.size() > rotating_file::kWriteBytes) {
      TRY(write_all(pending));
      pending.clear();
    }
    if (full && size_ > 0) TRY(rotate());
    pending.append(line).push_back('\n');
  }
  TRY(write_all(pending));
  return outcome;
}

void RotatingFile::settle() {
  if (cleaner_.joinable()) cleaner_.join();
}

void RotatingFile::clean_up() {
  if (options_.max_backups == 0 && options_.max_age_days == 0 && !options_.compresses) return;
  settle();  // rotations are rarer than that takes
  cleaner_ = std::jthread(
      [options = options_, now = clock_.now()] { rotating_file::clean_folder(options, now); });
}

}  // namespace proa::apiserver::audit
