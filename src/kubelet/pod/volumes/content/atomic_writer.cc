#include "kubelet/pod/volumes/content/atomic_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <set>

#include "base/files.h"
#include "base/strings.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/tree_removal.h"
#include "kubelet/host/mounts/tree_walk.h"

namespace proa::kubelet {
namespace atomic_writer {

constexpr const char* kData = "..data";
constexpr const char* kNewData = "..data_tmp";

// What a link points to; empty when it is none.
std::string read_link(int folder, const char* name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlinkat(folder, name, target.data(), target.size());
  return length <= 0 ? std::string() : std::string(target.data(), static_cast<size_t>(length));
}

// "..2026_01_02_15_04_05.": the prefix of our own folders.
std::string stamp(Time now) {
  std::string text = format_time(now);  // "2026-01-02T15:04:05Z"
  for (char& c : text) {
    if (c == '-' || c == ':' || c == 'T') c = '_';
  }
  text.back() = '.';
  return ".." + text;
}

bool is_stamped(std::string_view name) {
  constexpr std::string_view kForm = "..0000_00_00_00_00_00.";
  if (name.size() <= kForm.size()) return false;
  for (size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = name[i] >= '0' && name[i] <= '9';
    if (kForm[i] == '0' ? !digit : name[i] != kForm[i]) return false;
  }
  return true;
}

// The first component of a path: the name in the volume's own folder.
std::string_view top_of(std::string_view path) { return path.substr(0, path.find('/')); }

Result<void> write_all(int file, std::string_view data, const std::string& path) {
  while (!data.empty()) {
    const ssize_t written = ::write(file, data.data(), data.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return folder_failure("writing", path, errno);
    }
    data.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

// True when the file is there with exactly that content.
bool holds_file(int folder, const std::string& path, std::string_view data) {
  const FileDescriptor file(
      open_inside(folder, path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW, Steps::kNoLinks));
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (static_cast<size_t>(info.st_size) != data.size()) return false;
  std::array<char, 16 * 1024> part{};
  while (!data.empty()) {
    const ssize_t got = ::read(file.get(), part.data(), std::min(part.size(), data.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    const auto length = static_cast<size_t>(got);
    if (data.substr(0, length) != std::string_view(part.data(), length)) return false;
    data.remove_prefix(length);
  }
  return true;
}

class Writer {
 public:
  Writer(const std::string& path, FileDescriptor folder, const Payload& payload, Time now)
      : path_(path), folder_(std::move(folder)), payload_(payload), now_(now) {
    current_ = read_link(folder_.get(), kData);
    if (!is_stamped(current_) || !is_file_name(current_)) current_.clear();
  }

  Result<void> run(const std::function<Result<void>()>& set_permissions) {
    const Result<void> written = is_current() ? Result<void>() : replace(set_permissions);
    // Also after a failure: incomplete folders must not pile up.
    Result<void> cleaned = remove_leftovers();
    TRY(written);
    TRY(add_links());
    TRY(remove_links());
    return cleaned;
  }

 private:
  bool is_current() const {
    if (current_.empty()) return false;
    const FileDescriptor data(
        open_inside(folder_.get(), current_.c_str(), O_RDONLY | O_DIRECTORY, Steps::kNoLinks));
    if (!data.valid()) return false;
    for (const auto& [path, file] : payload_) {
      if (!holds_file(data.get(), path, file.data)) return false;
    }
    size_t files = 0;
    const Result<void> walked = walk_tree(data.get(), [&](const TreeEntry& entry) -> Result<void> {
      if (!S_ISDIR(entry.info.st_mode)) ++files;
      return {};
    });
    return walked.ok() && files == payload_.size();
  }

  Result<void> replace(const std::function<Result<void>()>& set_permissions) {
    const std::string name = TRY(make_stamped());
    const FileDescriptor data(
        open_inside(folder_.get(), name.c_str(), O_RDONLY | O_DIRECTORY, Steps::kNoLinks));
    if (!data.valid()) return failure("opening", name, errno);
    // Everyone may read it, whatever our umask.
    if (::fchmod(data.get(), 0755) != 0) return failure("chmod", name, errno);
    for (const auto& [path, file] : payload_) TRY(write_file(data.get(), path, file));
    TRY(set_permissions());
    // A leftover of an interrupted run would be in the way.
    ::unlinkat(folder_.get(), kNewData, 0);
    if (::symlinkat(name.c_str(), folder_.get(), kNewData) != 0) {
      return failure("linking", kNewData, errno);
    }
    if (::renameat(folder_.get(), kNewData, folder_.get(), kData) != 0) {
      return failure("renaming", kNewData, errno);
    }
    current_ = name;
    return {};
  }

  Result<std::string> make_stamped() const {
    const auto fraction = now_.time_since_epoch().count() % 1'000'000'000;
    for (int64_t attempt = 0;; ++attempt) {
      std::string name = fmt::format("{}{}", stamp(now_), fraction + attempt);
      if (::mkdirat(folder_.get(), name.c_str(), 0755) == 0) return name;
      if (errno != EEXIST) return failure("mkdir", name, errno);
    }
  }

  Result<void> write_file(int data, const std::string& path, const ContentFile& file) const {
    const FileDescriptor folder = TRY(make_parents(data, path));
    const std::string name = path.substr(path.rfind('/') + 1);
    const FileDescriptor made(::openat(folder.get(), name.c_str(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!made.valid()) return failure("creating", path, errno);
    TRY(write_all(made.get(), file.data, path));
    if (file.owner && ::fchown(made.get(), *file.owner, static_cast<gid_t>(-1)) != 0) {
      return failure("chown", path, errno);
    }
    if (::fchmod(made.get(), file.mode & 0777) != 0) return failure("chmod", path, errno);
    return {};
  }

  // The folder that a file goes to.
  Result<FileDescriptor> make_parents(int data, const std::string& path) const {
    FileDescriptor at(::openat(data, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::vector<std::string_view> parts = split(path, '/');
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::string part(parts[i]);
      const bool made = ::mkdirat(at.get(), part.c_str(), 0755) == 0;
      if (!made && errno != EEXIST) return failure("mkdir", path, errno);
      at = FileDescriptor(
          open_inside(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY, Steps::kNoLinks));
      if (!at.valid()) return failure("opening", path, errno);
      if (made && ::fchmod(at.get(), 0755) != 0) return failure("chmod", path, errno);
    }
    return at;
  }

  // A folder of that name is where another volume gets mounted: it stays.
  Result<void> add_links() const {
    std::set<std::string_view> done;
    for (const auto& [path, file] : payload_) {
      const std::string name(top_of(path));
      if (!done.insert(top_of(path)).second) continue;
      const std::string target = fmt::format("{}/{}", kData, name);
      if (::symlinkat(target.c_str(), folder_.get(), name.c_str()) != 0) {
        if (errno == EEXIST) continue;
        return failure("linking", name, errno);
      }
      if (file.owner && ::fchownat(folder_.get(), name.c_str(), *file.owner, static_cast<gid_t>(-1),
                                   AT_SYMLINK_NOFOLLOW) != 0) {
        return failure("chown", name, errno);
      }
    }
    return {};
  }

  // Links to removed content.
  Result<void> remove_links() const {
    std::set<std::string, std::less<>> wanted;
    for (const auto& [path, file] : payload_) wanted.emplace(top_of(path));
    std::vector<std::string> stale;
    TRY(each_name(folder_.get(), [&](const char* name) {
      const std::string target = read_link(folder_.get(), name);
      if (target == fmt::format("{}/{}", kData, name) && !wanted.contains(name)) {
        stale.emplace_back(name);
      }
      return true;
    }));
    for (const std::string& name : stale) {
      if (::unlinkat(folder_.get(), name.c_str(), 0) != 0) return failure("removing", name, errno);
    }
    return {};
  }

  Result<void> remove_leftovers() const {
    std::vector<std::string> old;
    TRY(each_name(folder_.get(), [&](const char* name) {
      if (is_stamped(name) && name != current_) old.emplace_back(name);
      return true;
    }));
    for (const std::string& name : old) TRY(remove_tree(path_ + "/" + name));
    return {};
  }

  Status failure(std::string_view action, const std::string& name, int error) const {
    return folder_failure(action, path_ + "/" + name, error);
  }

  const std::string& path_;
  const FileDescriptor folder_;
  const Payload& payload_;
  const Time now_;
  std::string current_;  // the folder that ..data points to; empty for none
};

}  // namespace atomic_writer

Result<void> write_atomically(const std::string& folder, const Payload& payload, Time now,
                              const std::function<Result<void>()>& set_permissions) {
  const Payload checked = TRY(checked_payload(payload));
  FileDescriptor opened = TRY(open_folder(folder));
  return atomic_writer::Writer(folder, std::move(opened), checked, now).run(set_permissions);
}

bool has_content(const std::string& folder) {
  const Result<FileDescriptor> opened = open_folder(folder);
  return opened.ok() && !atomic_writer::read_link(opened->get(), atomic_writer::kData).empty();
}

}  // namespace proa::kubelet
