#include "kubelet/runtime/logs/rotate.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "base/log.h"
#include "http/wire/gzip.h"

namespace proa::kubelet {
namespace rotate {

const Log kLog{"kubelet"};

constexpr std::string_view kCompressed = ".gz";
constexpr std::string_view kUnfinished = ".tmp";
// A file is compressed piece by piece; pieces one after the other are a valid file.
constexpr size_t kPiece = size_t{1} << 20;

Status failure(std::string_view what, std::string_view name) {
  return errno_status(fmt::format("failed to {} {}", what, name), errno);
}

// "20260102-150405"
std::string stamp(Time now) {
  std::string text = format_time(now);  // "2026-01-02T15:04:05Z"
  text[10] = '-';
  text.pop_back();
  std::string digits = text.substr(10);
  std::erase(text, '-');
  std::erase(digits, ':');
  return text.substr(0, 8) + digits;
}

// Those that were moved away before, oldest first; what an interrupted rotation left is removed.
Result<std::vector<std::string>> rotated_files(const FileDescriptor& folder,
                                               const std::vector<std::string>& names,
                                               const std::string& name) {
  std::vector<std::string> found;
  for (const std::string& other : names) {
    if (!other.starts_with(name + ".")) continue;
    const std::string compressed = other + std::string(kCompressed);
    const bool unused = other.ends_with(kUnfinished) ||
                        (!other.ends_with(kCompressed) &&
                         std::find(names.begin(), names.end(), compressed) != names.end());
    if (!unused) {
      found.push_back(other);
    } else if (::unlinkat(folder.get(), other.c_str(), 0) != 0 && errno != ENOENT) {
      return failure("remove unused log", other);
    }
  }
  return found;
}

Result<void> copy_compressed(const FileDescriptor& from, const FileDescriptor& to) {
  std::string piece;
  while (true) {
    piece.resize(kPiece);
    const ssize_t got = ::read(from.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("read", "log");
    if (got == 0) return {};
    piece.resize(static_cast<size_t>(got));
    const std::string compressed = http::gzip(piece);
    for (size_t done = 0; done < compressed.size();) {
      const ssize_t put = ::write(to.get(), compressed.data() + done, compressed.size() - done);
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return failure("write", "log");
      done += static_cast<size_t>(put);
    }
  }
}

Result<void> compress(const FileDescriptor& folder, const std::string& name) {
  const FileDescriptor from(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!from.valid() || ::fstat(from.get(), &info) != 0) return failure("open log", name);
  if (!S_ISREG(info.st_mode)) return Status(Reason::kBadRequest, name + " is not a regular file");
  const std::string unfinished = name + std::string(kUnfinished);
  const FileDescriptor to(::openat(folder.get(), unfinished.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                   info.st_mode & 0777));
  if (!to.valid()) return failure("create temporary log", unfinished);
  if (Result<void> copied = copy_compressed(from, to); !copied) {
    ::unlinkat(folder.get(), unfinished.c_str(), 0);
    return copied;
  }
  const std::string compressed = name + std::string(kCompressed);
  if (::renameat(folder.get(), unfinished.c_str(), folder.get(), compressed.c_str()) != 0) {
    return failure("rename", unfinished);
  }
  if (::unlinkat(folder.get(), name.c_str(), 0) != 0) return failure("remove", name);
  return {};
}

Result<void> tidy(const FileDescriptor& folder, const std::vector<std::string>& names,
                  const std::string& name, int max_files) {
  std::vector<std::string> old = TRY(rotated_files(folder, names, name));
  // Beside these there will be the one that is moved away now, and the new one.
  const size_t kept = static_cast<size_t>(std::max(max_files - 2, 0));
  while (old.size() > kept) {
    if (::unlinkat(folder.get(), old.front().c_str(), 0) != 0 && errno != ENOENT) {
      return failure("remove old log", old.front());
    }
    old.erase(old.begin());
  }
  for (const std::string& other : old) {
    if (!other.ends_with(kCompressed)) TRY(compress(folder, other));
  }
  return {};
}

}  // namespace rotate

Result<bool> LogRotation::rotate(const ContainerLog& log, const Until& until) {
  const size_t slash = log.path.rfind('/');
  if (slash == std::string::npos) return Status(Reason::kBadRequest, "path has no folder");
  const std::string name = log.path.substr(slash + 1);
  const std::string folder_path = log.path.substr(0, slash);
  // Not by its path: a pod that mounts the log folder could put a link there.
  const FileDescriptor folder =
      TRY(files_.open_beneath(root_, folder_path, O_RDONLY | O_DIRECTORY, 0));
  struct stat info {};
  if (::fstatat(folder.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return rotate::failure("stat container log", log.path);
    TRY(reopen_(log.container_id, until));
    return false;
  }
  if (!S_ISREG(info.st_mode) || info.st_size < policy_.max_bytes) return false;
  const std::vector<std::string> names =
      TRY(files_.list(fmt::format("/proc/self/fd/{}", folder.get())));
  TRY(rotate::tidy(folder, names, name, policy_.max_files));
  TRY(move_away(log, folder, name, until));
  return true;
}

Result<void> LogRotation::move_away(const ContainerLog& log, const FileDescriptor& folder,
                                    const std::string& name, const Until& until) {
  const std::string moved = name + "." + rotate::stamp(clock_.now());
  if (::renameat(folder.get(), name.c_str(), folder.get(), moved.c_str()) != 0) {
    return rotate::failure("rotate log", log.path);
  }
  const Result<void> reopened = reopen_(log.container_id, until);
  if (reopened) return {};
  // It is written to still; the next time may be better.
  if (::renameat(folder.get(), moved.c_str(), folder.get(), name.c_str()) != 0) {
    rotate::kLog.error("failed to rename rotated log", {{"log", log.path}, {"moved", moved}});
  }
  return reopened.status().in("failed to reopen container log");
}

}  // namespace proa::kubelet
