#include "kubelet/host/mounts/tree_removal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "kubelet/host/mounts/folder.h"

namespace proa::kubelet {
namespace tree_removal {

// Levels that are held open at once. What lies deeper is moved up to the top first, so that a pod
// can't make a tree that costs us our descriptors or our stack.
constexpr int kMostLevels = 32;
// How often a folder is listed again because it was not empty at the end. Each round removes at
// least one of the moved trees; more rounds mean that a process keeps writing.
constexpr int kMostPasses = 1'000'000;

class Removal {
 public:
  explicit Removal(std::string path) : path_(std::move(path)) {}

  Result<void> remove_entry(int folder, const char* name, int level) {
    if (::unlinkat(folder, name, 0) == 0 || errno == ENOENT) return {};
    if (errno != EISDIR) return failure(name, errno);
    if (level == kMostLevels) return lift(folder, name);
    const FileDescriptor inner(
        open_inside(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, Steps::kNoLinksNorMounts));
    if (!inner.valid()) {
      if (errno == EXDEV) return failure(name, EBUSY);
      return failure(name, errno);
    }
    if (level == 0) top_ = inner.get();
    TRY(empty(inner.get(), level + 1));
    if (::unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    return failure(name, errno);
  }

 private:
  // Removes while it lists, so that a folder of millions costs no memory; what a listing missed the
  // next one finds.
  Result<void> empty(int folder, int level) {
    for (int pass = 0; pass < kMostPasses; ++pass) {
      bool found = false;
      std::optional<Status> failed;
      TRY(each_name(folder, [&](const char* name) {
        found = true;
        const Result<void> removed = remove_entry(folder, name, level);
        if (!removed.ok()) failed = removed.status();
        return removed.ok();
      }));
      if (failed) return *failed;
      if (!found) return {};
    }
    return failure("", ENOTEMPTY);
  }

  Result<void> lift(int folder, const char* name) {
    while (true) {
      const std::string lifted = fmt::format(".removed-{}", ++lifted_);
      if (::syscall(SYS_renameat2, folder, name, top_, lifted.c_str(), RENAME_NOREPLACE) == 0) {
        return {};
      }
      if (errno != EEXIST) return failure(name, errno);
    }
  }

  Status failure(std::string_view name, int error) const {
    return folder_failure("removing", fmt::format("{} ({})", path_, name), error);
  }

  const std::string path_;
  int top_ = -1;
  uint64_t lifted_ = 0;
};

}  // namespace tree_removal

Result<void> remove_tree(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (!is_file_name(name)) return folder_failure("removing", path, EINVAL);
  const Result<FileDescriptor> folder = open_folder(parent);
  if (folder.is(Reason::kNotFound)) return {};
  if (!folder.ok()) return folder.status();
  return tree_removal::Removal(path).remove_entry(folder->get(), name.c_str(), 0);
}

}  // namespace proa::kubelet
