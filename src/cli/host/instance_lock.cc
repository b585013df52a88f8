#include "cli/host/instance_lock.h"

#include <fcntl.h>

#include <cerrno>

namespace proa::cli {
namespace instance_lock {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace instance_lock

Result<InstanceLock> InstanceLock::take(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return errno_status("opening " + path, errno);
  struct flock lock = instance_lock::whole_file();
  if (fcntl(file.get(), F_SETLK, &lock) == 0) return InstanceLock(std::move(file));
  if (errno != EACCES && errno != EAGAIN) return errno_status("locking " + path, errno);
  const auto holder = lock_holder(path);
  return Status(Reason::kConflict,
                "another proa is running from this data directory" +
                    (holder ? ", as process " + std::to_string(*holder) : std::string()) +
                    "; stop it with `proa down`, or choose another --data-dir");
}

std::string lock_path(const std::string& data_dir) { return data_dir + "/proa.lock"; }

std::optional<pid_t> lock_holder(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return std::nullopt;
  struct flock lock = instance_lock::whole_file();
  if (fcntl(file.get(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

}  // namespace proa::cli
