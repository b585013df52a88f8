#include "cli/backup/sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/files.h"

namespace proa::cli {

Result<void> sync_file(int file, const std::string& path) {
  if (::fsync(file) != 0) return errno_status("syncing " + path, errno);
  return {};
}

Result<void> sync_directory(const std::string& path) {
  const FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return errno_status("opening " + path, errno);
  return sync_file(directory.get(), path);
}

Result<void> sync_directories(const std::string& path) {
  std::error_code error;
  for (auto at = std::filesystem::recursive_directory_iterator(path, error);
       !error && at != std::filesystem::recursive_directory_iterator(); at.increment(error)) {
    if (at->is_directory(error)) TRY(sync_directory(at->path().string()));
  }
  if (error) return Status(Reason::kInternalError, "listing " + path + ": " + error.message());
  return sync_directory(path);
}

}  // namespace proa::cli
