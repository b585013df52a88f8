#include "base/watch/folder_changes.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace proa {
namespace folder_changes {

// Files count once they are closed; links are there at once.
constexpr uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE |
                             IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace folder_changes

Result<FolderChanges> FolderChanges::open(std::string path) {
  FileDescriptor inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify.valid()) return errno_status("watching " + path, errno);
  return FolderChanges(std::move(path), std::move(inotify));
}

Result<bool> FolderChanges::watch() {
  if (watching_) return true;
  watching_ = ::inotify_add_watch(inotify_.get(), path_.c_str(), folder_changes::kEvents) >= 0;
  const int error = watching_ ? 0 : errno;
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  const int before = std::exchange(failure_, is_missing ? 0 : error);
  if (failure_ == before || failure_ == 0) return watching_;
  // No disk is full: the user has too many watches.
  if (error == ENOSPC) {
    return Status(Reason::kInsufficientStorage,
                  "watching " + path_ +
                      ": the limit of inotify watches is reached; raise "
                      "fs.inotify.max_user_watches");
  }
  return errno_status("watching " + path_, error);
}

bool FolderChanges::changed() {
  alignas(inotify_event) char buffer[4096];
  bool seen = false;
  while (true) {
    const ssize_t got = ::read(inotify_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return seen;
    seen = true;
    for (size_t at = 0; at < static_cast<size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof event);
      if ((event.mask & (IN_IGNORED | IN_MOVE_SELF)) != 0) watching_ = false;
      at += sizeof event + event.len;
    }
  }
}

}  // namespace proa
