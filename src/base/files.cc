#include "base/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>

namespace proa {
namespace files {

Status failure(std::string_view action, const std::string& path, int error) {
  Status status = errno_status(fmt::format("{} {}", action, path), error);
  if (error == ENOENT) return {Reason::kNotFound, status.message()};
  if (error == EEXIST) return {Reason::kAlreadyExists, status.message()};
  return status;
}

Result<FileDescriptor> open(const std::string& path, int flags, mode_t mode = 0) {
  const int number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (number < 0) return failure("opening", path, errno);
  return FileDescriptor(number);
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> write_all(int file, const std::string& path, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return failure("writing", path, errno);
    }
    content.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// A created or renamed file survives a power loss only once its directory is synced.
Result<void> sync_directory(const std::string& path) {
  const FileDescriptor directory = TRY(open(path, O_RDONLY | O_DIRECTORY));
  if (::fsync(directory.get()) != 0) return failure("syncing", path, errno);
  return {};
}

Result<void> write_new(const std::string& path, std::string_view content, mode_t mode) {
  const FileDescriptor file = TRY(open(path, O_WRONLY | O_CREAT | O_EXCL, mode));
  // The umask may have cleared bits; the caller's mode counts.
  if (::fchmod(file.get(), mode) != 0) return failure("setting the mode of", path, errno);
  TRY(write_all(file.get(), path, content));
  if (::fsync(file.get()) != 0) return failure("syncing", path, errno);
  return {};
}

// A name next to `path` that no other writer on this machine uses.
std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> count = 0;
  return fmt::format("{}.{}.{}.new", path, ::getpid(), count.fetch_add(1));
}

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace files

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  FileDescriptor old(std::exchange(number_, std::exchange(other.number_, -1)));
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

Result<std::string> SystemFiles::read_file(const std::string& path, size_t limit) {
  const FileDescriptor file = TRY(files::open(path, O_RDONLY));
  constexpr size_t kStep = 64 * 1024;
  std::string content;
  size_t length = 0;
  while (true) {
    content.resize(length + std::min(kStep, limit + 1 - length));
    const ssize_t got = ::read(file.get(), content.data() + length, content.size() - length);
    if (got < 0) {
      if (errno == EINTR) continue;
      return files::failure("reading", path, errno);
    }
    length += static_cast<size_t>(got);
    if (length > limit) {
      return Status(Reason::kRequestEntityTooLarge,
                    fmt::format("reading {}: longer than {} bytes", path, limit));
    }
    if (got == 0) break;
  }
  content.resize(length);
  return content;
}

Result<void> SystemFiles::write_file_atomic(const std::string& path, std::string_view content,
                                            mode_t mode) {
  const std::string temporary = files::temporary_name(path);
  if (auto written = files::write_new(temporary, content, mode); !written) {
    ::unlink(temporary.c_str());
    return written;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return files::failure("replacing", path, error);
  }
  return files::sync_directory(files::parent_of(path));
}

Result<std::vector<std::string>> SystemFiles::list(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (!directory) return files::failure("listing", path, errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return files::failure("listing", path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> SystemFiles::make_dirs(const std::string& path, mode_t mode) {
  // From the top down; existing directories are fine.
  for (size_t slash = path.find('/', 1); true; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), mode) == 0) {
      TRY(files::sync_directory(files::parent_of(part)));
    } else if (const int error = errno; !files::is_directory(part)) {
      return files::failure("cannot create directory", part, error == EEXIST ? ENOTDIR : error);
    }
    if (slash == std::string::npos) return {};
  }
}

Result<void> SystemFiles::remove(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return {};
  const int error = errno;
  if (error == EISDIR || error == EPERM) {
    if (::rmdir(path.c_str()) == 0) return {};
    return files::failure("removing", path, errno);
  }
  return files::failure("removing", path, error);
}

Result<bool> SystemFiles::exists(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return files::failure("checking", path, errno);
}

Result<FileDescriptor> SystemFiles::open_beneath(const std::string& root, const std::string& path,
                                                 int flags, mode_t mode) {
  // The kernel would stop at a zero byte and open a path other than the one that was checked.
  if (path.find('\0') != std::string::npos) return files::failure("opening", path, EINVAL);
  const FileDescriptor directory = TRY(files::open(root, O_PATH | O_DIRECTORY));
  open_how how{};
  how.flags = static_cast<uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
  how.mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long number = ::syscall(SYS_openat2, directory.get(), path.c_str(), &how, sizeof(how));
  if (number < 0) return files::failure("opening", root + "/" + path, errno);
  return FileDescriptor(static_cast<int>(number));
}

}  // namespace proa
