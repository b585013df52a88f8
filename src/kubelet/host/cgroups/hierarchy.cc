#include "kubelet/host/cgroups/hierarchy.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/strings.h"

namespace proa::kubelet {
namespace hierarchy {

// Files that the kernel writes for us are short; those with process ids may be long.
constexpr size_t kReadStep = 16 * 1024;

Status failure(std::string_view action, const std::string& path, int error) {
  Status status = errno_status(fmt::format("{} cgroup {}", action, path), error);
  if (error == ENOENT || error == ENODEV) return {Reason::kNotFound, status.message()};
  if (error == EBUSY) return {Reason::kConflict, status.message()};
  return status;
}

// Everything goes through open_beneath: names of cgroups contain uids that others chose.
class Mounted final : public Hierarchy {
 public:
  Mounted(Files& files, std::string mountpoint)
      : files_(files), mountpoint_(std::move(mountpoint)) {}

  Result<bool> make(const std::string& path) override {
    const Place place = TRY(find(path));
    if (::mkdirat(place.parent.get(), place.name.c_str(), 0755) == 0) return true;
    if (errno == EEXIST) return false;
    return failure("making", path, errno);
  }

  Result<void> remove(const std::string& path) override {
    const Place place = TRY(find(path));
    if (::unlinkat(place.parent.get(), place.name.c_str(), AT_REMOVEDIR) == 0) return {};
    return failure("removing", path, errno);
  }

  Result<std::vector<std::string>> children(const std::string& path) override {
    FileDescriptor folder = TRY(open(path, O_RDONLY | O_DIRECTORY));
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(folder.get()), ::closedir);
    if (!directory) return failure("listing", path, errno);
    folder.release();
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(directory.get())) {
      const std::string_view name = entry->d_name;
      if (entry->d_type == DT_DIR && name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) return failure("listing", path, errno);
    return names;
  }

  Result<std::string> read(const std::string& path, std::string_view file) override {
    const std::string full = fmt::format("{}/{}", path, file);
    const FileDescriptor open_file = TRY(open(full, O_RDONLY));
    std::string content;
    std::array<char, kReadStep> part;
    while (true) {
      const ssize_t got = ::read(open_file.get(), part.data(), part.size());
      if (got == 0) return content;
      if (got > 0) {
        content.append(part.data(), static_cast<size_t>(got));
      } else if (errno != EINTR) {
        return failure("reading", full, errno);
      }
    }
  }

  Result<void> write(const std::string& path, std::string_view file,
                     std::string_view text) override {
    const std::string full = fmt::format("{}/{}", path, file);
    const FileDescriptor open_file = TRY(open(full, O_WRONLY));
    // One write is one command to the kernel.
    while (::write(open_file.get(), text.data(), text.size()) < 0) {
      if (errno != EINTR) return failure(fmt::format("writing {} to", text), full, errno);
    }
    return {};
  }

 private:
  struct Place {
    FileDescriptor parent = {};
    std::string name = {};
  };

  Result<FileDescriptor> open(const std::string& path, int flags) {
    // Files in the root come as "/file".
    const std::string relative = path.starts_with('/') ? path.substr(1) : path;
    return files_.open_beneath(mountpoint_, relative.empty() ? "." : relative, flags, 0);
  }

  Result<Place> find(const std::string& path) {
    const size_t slash = path.rfind('/');
    std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") return failure("finding", path, EINVAL);
    FileDescriptor parent =
        TRY(open(slash == std::string::npos ? "" : path.substr(0, slash), O_PATH | O_DIRECTORY));
    return Place{std::move(parent), std::move(name)};
  }

  Files& files_;
  const std::string mountpoint_;
};

}  // namespace hierarchy

std::unique_ptr<Hierarchy> mounted_hierarchy(Files& files, std::string mountpoint) {
  return std::make_unique<hierarchy::Mounted>(files, std::move(mountpoint));
}

Result<void> write_if_other(Hierarchy& hierarchy, const std::string& path, std::string_view file,
                            std::string_view text) {
  const auto now = hierarchy.read(path, file);
  if (now.ok() && trim(*now) == text) return {};
  return hierarchy.write(path, file, text);
}

Result<std::vector<std::string>> folders_below(Hierarchy& hierarchy, const std::string& path) {
  std::vector<std::string> found{path};
  for (size_t next = 0; next < found.size(); ++next) {
    const auto names = hierarchy.children(found[next]);
    if (names.is(Reason::kNotFound)) continue;  // gone meanwhile, or never there
    if (!names) return names.status();
    const std::string above = found[next];
    for (const std::string& name : *names) found.push_back(above + "/" + name);
  }
  return found;
}

}  // namespace proa::kubelet
