#include "kubelet/host/mounts/tree_walk.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>
#include <set>
#include <vector>

#include "kubelet/host/mounts/folder.h"

namespace proa::kubelet {
namespace tree_walk {

// The folder was removed, replaced or mounted upon since its name was read.
bool is_gone(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EXDEV;
}

class Walk {
 public:
  Walk(int root, const std::function<Result<void>(const TreeEntry&)>& visit)
      : root_(root), visit_(visit) {}

  Result<void> run() {
    waiting_.emplace_back(".");
    while (!waiting_.empty()) {
      const std::string path = std::move(waiting_.back());
      waiting_.pop_back();
      TRY(look_into(path));
    }
    return {};
  }

 private:
  Result<void> look_into(const std::string& path) {
    const FileDescriptor folder(open_inside(
        root_, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, Steps::kNoLinksNorMounts));
    if (!folder.valid()) {
      if (is_gone(errno)) return {};
      return folder_failure("opening", path, errno);
    }
    std::optional<Status> failure;
    TRY(each_name(folder.get(), [&](const char* name) {
      const Result<void> visited = visit_one(folder.get(), path, name);
      if (!visited.ok()) failure = visited.status();
      return visited.ok();
    }));
    if (failure) return *failure;
    return {};
  }

  Result<void> visit_one(int folder, const std::string& path, const char* name) {
    TreeEntry entry{.folder = folder, .name = name, .info = {}};
    if (::fstatat(folder, name, &entry.info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (is_gone(errno)) return {};
      return folder_failure("looking at", path + "/" + name, errno);
    }
    if (S_ISDIR(entry.info.st_mode)) waiting_.push_back(path + "/" + name);
    return visit_(entry);
  }

  const int root_;
  const std::function<Result<void>(const TreeEntry&)>& visit_;
  std::vector<std::string> waiting_;
};

int64_t bytes_of(const struct stat& info) { return int64_t{info.st_blocks} * 512; }

}  // namespace tree_walk

Result<void> walk_tree(int folder, const std::function<Result<void>(const TreeEntry&)>& visit) {
  return tree_walk::Walk(folder, visit).run();
}

Result<int64_t> disk_usage(const std::string& folder) {
  const FileDescriptor root = TRY(open_folder(folder));
  struct stat top {};
  if (::fstat(root.get(), &top) != 0) return folder_failure("looking at", folder, errno);
  int64_t bytes = tree_walk::bytes_of(top);
  std::set<ino_t> seen;  // of files with several names
  TRY(walk_tree(root.get(), [&](const TreeEntry& entry) -> Result<void> {
    if (entry.info.st_dev != top.st_dev) return {};
    const bool several = !S_ISDIR(entry.info.st_mode) && entry.info.st_nlink > 1;
    if (several && !seen.insert(entry.info.st_ino).second) return {};
    bytes += tree_walk::bytes_of(entry.info);
    return {};
  }));
  return bytes;
}

}  // namespace proa::kubelet
